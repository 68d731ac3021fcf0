//! How many lanes the CPU at hand has, and functions that are compiled for each number of them.

use super::Lanes;
use super::avx2::{self, F64x4};
use super::avx512::{self, F64x8};

/// A number of lanes that this CPU has: four with AVX2 and FMA, eight with AVX-512 F and DQ. There is no other way to one than
/// to ask the CPU, so that whoever has it may run code for that many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width {
    count: usize,
}

impl Width {
    /// All that this CPU has, the narrowest first.
    pub fn all() -> impl Iterator<Item = Width> {
        let four = avx2::available().then_some(Width { count: F64x4::COUNT });
        let eight = avx512::available().then_some(Width { count: F64x8::COUNT });
        four.into_iter().chain(eight)
    }

    /// The most lanes that this CPU has.
    pub fn widest() -> Option<Width> {
        Width::all().last()
    }

    /// How many lanes these are.
    pub fn count(self) -> usize {
        self.count
    }
}

/// Defines a function by one that is generic over [`super::Lanes`], compiled for each [`Width`], which becomes the first argument.
macro_rules! lane_query {
    ($(#[$doc:meta])* $visible:vis fn $name:ident $(<const $flag:ident: bool>)? ($($argument:ident: $type:ty),* $(,)?) -> $result:ty, $generic:ident) => {
        $(#[$doc])*
        $visible fn $name $(<const $flag: bool>)? (width: $crate::solver::simd::Width, $($argument: $type),*) -> $result {
            /// # Safety
            /// The CPU must have AVX2 and FMA.
            #[target_feature(enable = "avx2,fma")]
            unsafe fn four $(<const $flag: bool>)? ($($argument: $type),*) -> $result {
                $generic::<$crate::solver::simd::avx2::F64x4 $(, $flag)?>($($argument),*)
            }
            /// # Safety
            /// The CPU must have AVX-512 F and DQ.
            #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
            unsafe fn eight $(<const $flag: bool>)? ($($argument: $type),*) -> $result {
                $generic::<$crate::solver::simd::avx512::F64x8 $(, $flag)?>($($argument),*)
            }
            // SAFETY: a width is only given out where the CPU has what it needs.
            unsafe {
                match width.count() {
                    $crate::solver::simd::MOST_LANES => eight $(::<$flag>)? ($($argument),*),
                    _ => four $(::<$flag>)? ($($argument),*),
                }
            }
        }
    };
}
pub(crate) use lane_query;
