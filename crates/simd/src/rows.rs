//! The macros that backends are written with: tables in which a row is an operation, and loops.

/// Methods that are one expression, a row each, `#[inline(always)]`:
/// `inlined! { fn half(self) -> Self = Self(self.0 >> 1); }` in an `impl`.
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

/// Operators, a row each: the type, of how many registers it is if not of one, the trait and its
/// method, and the intrinsic or function that is called for each register or lane.
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

/// A function of two registers, of two or four pairs of them, of two values, or of all lanes of two
/// arrays.
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

/// A counted loop, `each!(i in 0..8 => a[i] = 0)`, in steps if they are given:
/// `each!(i in 0..256, S::I16::LANES => ..)`. For kernels and for constants: `for` calls functions
/// of iterators, which are not inlined in time for register arrays and are not `const`.
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

/// An array, element by element: `array!([0; 16]: i => 1 << i)`. For kernels and for constants, as
/// [`each!`].
#[macro_export]
macro_rules! array {
    ([$initial:expr; $n:expr]: $i:ident => $e:expr) => {{
        let mut array = [$initial; $n];
        $crate::each!($i in 0..$n => array[$i] = $e);
        array
    }};
}

/// A word that is one register.
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
