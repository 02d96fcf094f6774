//! The recording backend has no `f32`.
use core::ops::{Add, Div, Mul, Sub};

use crate::proof::vector::Vector;
use crate::scalar::f64::C64;
use crate::vectors::f64::F32s;

/// The type of `f32` lanes, which are not modelled: it has no values.
#[derive(Clone, Copy)]
pub enum NoSingles<const W: usize> {}

macro_rules! no_singles {
    ($($trait:ident $method:ident)*) => { $(
        impl<const W: usize> $trait for NoSingles<W> {
            type Output = Self;
            inlined! {
                fn $method(self, _: Self) -> Self = self;
            }
        }
    )* };
}
no_singles! { Add add Sub sub Mul mul Div div }

impl<S, const W: usize> F32s<S> for NoSingles<W> {
    const LANES: usize = W;
    type I32 = Vector<32, W>;
    type C64 = C64;

    inlined! {
        fn splat(_: S, _: f32) -> Self = panic!("f32 is not modelled");
        fn load(_: S, _: &[f32]) -> Self = panic!("f32 is not modelled");
        fn store(self, _: &mut [f32]) = match self {};
        fn splat_parts(_: C64) -> (Self, Self) = panic!("f32 is not modelled");
        fn of(_: Vector<32, W>) -> Self = panic!("f32 is not modelled");
        fn from_bits(_: Vector<32, W>) -> Self = panic!("f32 is not modelled");
        fn to_bits(self) -> Vector<32, W> = match self {};
        fn at_most(self, _: Self) -> u32 = match self {};
    }
}
