//! Which test executes which ops compiled, so that each is executed by one.

/// Ops of text: by the pairs with JSON at an end. They look at the end of the input themselves.
pub const TEXT: &[&str] = &[
    "read.text",
    "write.text",
    "read.quoted",
    "write.quoted",
    "read.decimal",
    "write.decimal",
    "check.finite",
    "check.size",
    "lookup",
    "expect",
    "separate",
    "object.open",
    "object.find",
    "object.close",
    "choose",
    "read.tag",
];
