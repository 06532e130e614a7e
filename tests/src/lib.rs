//! What the tests share: formats that exist only here.

pub mod corpus;
pub mod formats;
pub mod naive;
pub mod random;
