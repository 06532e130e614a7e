//! The compiled tier: Program → native code with Cranelift.
//!
//! Empty for now; the room exists so that the dependency arrows of the workspace are held from the start.
