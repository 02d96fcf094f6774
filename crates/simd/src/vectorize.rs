//! How kernels get a token's instructions: in functions compiled with them, named after the kernel.
//!
//! Why the `unsafe` here is sound: a function with target features is called only by the [`Token`]
//! that proves them. Nothing else can call it, since its name is known only in the macro.
#![expect(unsafe_code, reason = "functions of other features than those of their callers")]

/// A proof that the CPU has some instructions: a backend, or a unit of the CPU.
pub trait Token: Copy {
    /// Calls `f` in the function of `F` that has the token's instructions.
    #[doc(hidden)]
    fn run_in<F: Frames, R>(self, f: impl FnOnce() -> R) -> R;
}

macro_rules! tokens {
    ($($(#[$attribute:meta])* $token:ty: $frame:ident;)*) => {
        /// The functions that [`vectorize!`](crate::vectorize) declares, one for each set of
        /// instructions.
        #[doc(hidden)]
        pub trait Frames {
            $($(#[$attribute])* unsafe fn $frame<R>(f: impl FnOnce() -> R) -> R;)*
        }

        $(
            $(#[$attribute])*
            impl Token for $token {
                #[inline(always)]
                fn run_in<F: Frames, R>(self, f: impl FnOnce() -> R) -> R {
                    // SAFETY: the token proves the features of this function.
                    unsafe { F::$frame(f) }
                }
            }
        )*
    };
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
tokens! {
    crate::token::Scalar: on_scalar;
    crate::x86::tokens::Avx2: on_avx2;
    crate::x86::tokens::Avx512: on_avx512;
    crate::x86::tokens::ShaNi: on_sha;
}

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
tokens! {
    crate::token::Scalar: on_scalar;
    crate::arm::tokens::Neon: on_neon;
    crate::arm::tokens::Sha2: on_sha;
    crate::arm::tokens::Sha3: on_sha3;
}

#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "sse2"),
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
)))]
tokens! {
    crate::token::Scalar: on_scalar;
}

/// Declares functions with the features of each token, which profiles and backtraces show under
/// the name of the enclosing function.
#[doc(hidden)]
#[macro_export]
macro_rules! frames {
    () => {
        $crate::frames! {
            // The SHA instructions have the legacy encoding; switching between them and
            // instructions on wide registers costs a hundred cycles. Hence no AVX2 here, and
            // callers keep copies of 32 bytes out of their loops.
            all(target_arch = "x86_64", target_feature = "sse2"):
                on_avx2 "avx2,bmi1,bmi2,lzcnt,popcnt,fma,aes,pclmulqdq",
                on_avx512 "avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,\
                           avx2,bmi1,bmi2,lzcnt,popcnt,fma,aes,pclmulqdq",
                on_sha "sha,avx,bmi1,bmi2,popcnt";
            all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"):
                on_neon "neon", on_sha "neon,sha2", on_sha3 "neon,sha3";
        }
    };
    ($($target:meta: $($frame:ident $features:literal),*;)*) => {
        $($(
            #[cfg($target)]
            #[target_feature(enable = $features)]
            fn $frame<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
        )*)*
        // Out of line like the others: otherwise the dispatching caller reserves the stack frame of
        // the scalar kernel in addition to that of the kernel that runs.
        #[inline(never)]
        fn on_scalar<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        struct OnTokens;
        impl $crate::Frames for OnTokens {
            #[inline(always)]
            unsafe fn on_scalar<R>(f: impl FnOnce() -> R) -> R {
                on_scalar(f)
            }
            $($(
                #[cfg($target)]
                #[inline(always)]
                unsafe fn $frame<R>(f: impl FnOnce() -> R) -> R {
                    // SAFETY: the caller has the proof of the features.
                    unsafe { $frame(f) }
                }
            )*)*
        }
    };
}

/// Runs an expression compiled with the instructions of a token: `vectorize!(s => kernel(s, x))`.
/// Everything it calls must be `#[inline(always)]`, even closures: code that is not inlined does
/// not get the instructions. The code is out of line, named after the enclosing function.
///
/// The expression becomes the body of a closure: `return` and `?` leave only the expression.
#[macro_export]
macro_rules! vectorize {
    ($token:expr => $e:expr) => {{
        $crate::frames!();
        $crate::Token::run_in::<OnTokens, _>(
            $token,
            #[inline(always)]
            || $e,
        )
    }};
}

/// Compiles kernels in the crate that defines them, for each backend `S`, so that dependent crates
/// link to them instead of compiling them again: `instances!(S => permute::<S>, ntt::<S>);`. The
/// kernels are generic and `#[inline(never)]`: crates share the instances of such functions. The
/// crate's unit tests compile only those that they call. What only some backends use begins with
/// `only vectors:`, `only Avx512:` or `only Scalar:`.
#[macro_export]
macro_rules! instances {
    (@$token:ident $s:ident $($kernel:expr),+) => {
        $(const _: () = {
            type $s = $crate::$token;
            #[cfg(test)]
            let _kernel = $kernel;
            #[cfg(not(test))]
            static _KERNEL: ::core::sync::atomic::AtomicPtr<()> =
                ::core::sync::atomic::AtomicPtr::new($kernel as *mut ());
        };)+
    };
    (only Scalar: $s:ident => $($kernel:expr),+ $(,)?) => {
        $crate::instances!(@Scalar $s $($kernel),+);
    };
    (only Avx512: $s:ident => $($kernel:expr),+ $(,)?) => {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        $crate::instances!(@Avx512 $s $($kernel),+);
    };
    (only vectors: $s:ident => $($kernel:expr),+ $(,)?) => {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        $crate::instances!(@Avx2 $s $($kernel),+);
        $crate::instances!(only Avx512: $s => $($kernel),+);
        #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
        $crate::instances!(@Neon $s $($kernel),+);
    };
    ($s:ident => $($kernel:expr),+ $(,)?) => {
        $crate::instances!(only vectors: $s => $($kernel),+);
        $crate::instances!(only Scalar: $s => $($kernel),+);
    };
}
