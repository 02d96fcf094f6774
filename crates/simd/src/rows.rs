//! The macros that backends are written with: tables in which a row is an operation, and loops.

/// Defines `#[inline(always)]` methods of one expression, one per row, in an `impl`:
/// `inlined! { fn half(self) -> Self = Self(self.0 >> 1); }`.
#[macro_export]
macro_rules! inlined {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<const $n:ident: $t:ty>)? ($($args:tt)*) $(-> $out:ty)? = $e:expr;
    )*) => { $(
        $(#[$meta])*
        #[inline(always)]
        $vis fn $name $(<const $n: $t>)? ($($args)*) $(-> $out)? {
            $e
        }
    )* };
}

/// Implements operators, one per row: the type, its number of registers if not one, the trait and
/// its method, and the intrinsic or function that is called for each register or lane.
macro_rules! operators {
    ($($ty:ident $([$count:ident])? $trait:ident $method:ident $f:expr;)*) => { $(
        impl core::ops::$trait for $ty {
            type Output = Self;
            inlined! {
                fn $method(self, b: Self) -> Self = Self(zip!($($count)? $f, self.0, b.0));
            }
        }
    )* };
}

/// Applies a function to two registers, to two or four pairs of registers, to two values, or to all
/// lanes of two arrays.
macro_rules! zip {
    (alone $f:expr, $a:expr, $b:expr) => {
        $f($a, $b)
    };
    (two $f:expr, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        op!([$f(a[0], b[0]), $f(a[1], b[1])])
    }};
    (four $f:expr, $a:expr, $b:expr) => {{
        let ([a, b, c, d], [e, f, g, h]) = ($a, $b);
        op!([$f(a, e), $f(b, f), $f(c, g), $f(d, h)])
    }};
    (lanes $f:expr, $a:expr, $b:expr) => {{
        let (a, b) = ($a, $b);
        let mut out = a;
        $crate::each!(i in 0..out.len() => out[i] = $f(a[i], b[i]));
        out
    }};
    ($f:expr, $a:expr, $b:expr) => {
        op!($f($a, $b))
    };
}

/// Runs a counted loop, `each!(i in 0..8 => a[i] = 0)`, optionally in steps:
/// `each!(i in 0..256, S::I16::LANES => ..)`. For kernels and constants: `for` calls functions of
/// iterators, which are inlined too late for register arrays and are not `const`.
#[macro_export]
macro_rules! each {
    ($i:ident in $from:tt..$to:expr => $body:expr) => {
        $crate::each!($i in $from..$to, 1 => $body)
    };
    ($i:ident in $from:tt..$to:expr, $step:expr => $body:expr) => {{
        let mut $i = $from;
        while $i < $to {
            $body;
            $i += $step;
        }
    }};
}

/// Makes an array element by element: `array!([0; 16]: i => 1 << i)`. For kernels and constants,
/// like [`each!`].
#[macro_export]
macro_rules! array {
    ([$initial:expr; $n:expr]: $i:ident => $e:expr) => {{
        let mut array = [$initial; $n];
        $crate::each!($i in 0..$n => array[$i] = $e);
        array
    }};
}

/// Implements the parts of a word that is a single register.
macro_rules! one_part {
    () => {
        type Part = Self;
        const PARTS: usize = 1;
        inlined! {
            fn part(self, _: usize) -> Self = self;
            fn set_part(&mut self, _: usize, part: Self) = *self = part;
        }
    };
}
