//! What the tests share: the conformance cases, the naive oracle, random cases, formats that exist only here.

pub mod cases;
pub mod corpus;
pub mod formats;
pub mod naive;
pub mod random;
