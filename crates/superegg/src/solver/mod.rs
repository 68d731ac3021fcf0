//! The numerics behind the queries.
//!
//! A pair is brought into the scaled frame of its first body ([`pair`]), where each body is what [`body`] says of it. Bodies
//! that are apart go through [`separation`], bodies that overlap through [`penetration`], superovoids that are not convex
//! through [`nonconvex`], planes and simplices through [`closed_form`]; what rounds a [`primitive`] is taken off first.

pub(crate) mod answer;
pub(crate) mod body;
pub(crate) mod certificate;
pub(crate) mod closed_form;
pub(crate) mod convex;
pub(crate) mod dispatch;
pub(crate) mod growth;
pub(crate) mod nonconvex;
pub(crate) mod pair;
pub(crate) mod params;
pub(crate) mod penetration;
pub(crate) mod polish;
pub(crate) mod primitive;
pub(crate) mod second_order;
pub(crate) mod separation;
pub(crate) mod simd;
pub(crate) mod superellipsoids;
