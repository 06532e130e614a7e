//! Container files.
