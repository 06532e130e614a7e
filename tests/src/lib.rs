//! What the tests share: the conformance cases, the naive oracle, random cases, formats that exist only here, and what
//! the fuzz targets assert.

pub mod cases;
pub mod corpus;
pub mod engines;
pub mod formats;
pub mod fuzz;
pub mod naive;
pub mod ops;
pub mod random;
