//! Reference answers, each by a method of its own and each with a stated error.
//!
//! All of them rest on one fact: the signed distance of two convex bodies is the maximum over unit normals `n` of
//! `L(n) = n·c − hA(n) − hB(−n)`, with `h` the support functions and `c` the vector between the centres. It holds apart
//! (Hahn–Banach) and in overlap, where it is minus the least translation that separates the bodies.
//!
//! | module | answers | error |
//! |---|---|---|
//! | [`support`] | support functions and points | a few ulp of the largest radius |
//! | [`surface`] | surface points, inside–outside function, normals | a few ulp of the largest radius |
//! | [`certified`] | signed distance of convex pairs, globally, by branch and bound on the sphere | the width of the interval it returns |
//! | [`sampling`] | the same, and true surfaces that are not convex, by dense sampling and refinement | measured against `certified`, see there |
//! | [`precise`] | common-normal solutions to 30 digits and more | the gap it returns |

pub mod certified;
pub mod precise;
pub mod sampling;
pub mod support;
pub mod surface;
