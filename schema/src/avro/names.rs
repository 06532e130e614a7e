//! Names and namespaces (Avro 1.12, "Names").

use crate::model::TypeName;
use std::sync::Arc;

/// `[A-Za-z_][A-Za-z0-9_]*`
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.bytes();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == b'_')
}

/// A full name from its text: the last dot ends the namespace.
pub(super) fn full_name(text: &str) -> TypeName {
    let (namespace, name) = text.rsplit_once('.').unwrap_or(("", text));
    TypeName { namespace: namespace.into(), name: name.into() }
}

/// A name in the namespace around it: a dot overrides the namespace.
pub(super) fn in_namespace(text: &str, namespace: &Arc<str>) -> TypeName {
    if text.contains('.') { full_name(text) } else { TypeName { namespace: namespace.clone(), name: text.into() } }
}
