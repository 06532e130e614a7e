//! The op reference is the op table: `docs/ops.md` is generated from it. `RESCHEMA_UPDATE=1` writes it anew.

use reschema_ir::op::{Effect, OPS};

fn reference() -> String {
    let mut out = String::from(
        "# Op reference\n\nGenerated from the table in `ir/src/op.rs`. *Fails*: bad input can make it fail. *Journaled*: \
         it changes more than\ncursors and registers, and a checkpoint undoes that.\n\n\
         | op | operands | fails | effect | what it does |\n|---|---|---|---|---|\n",
    );
    for op in OPS {
        let fails = if op.fails { "yes" } else { "" };
        let effect = if op.effect == Effect::Journaled { "journaled" } else { "" };
        let doc = op.doc.trim();
        out.push_str(&format!("| `{}` | {} | {fails} | {effect} | {doc} |\n", op.name, op.operands.join(", ")));
    }
    out
}

#[test]
fn the_reference_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/ops.md");
    let want = reference();
    if std::env::var_os("RESCHEMA_UPDATE").is_some() {
        std::fs::write(path, &want).expect("docs/ops.md");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == want, "docs/ops.md is not what the table says: run with RESCHEMA_UPDATE=1");
}

#[test]
fn names_are_distinct_and_documented() {
    let names: std::collections::HashSet<&str> = OPS.iter().map(|o| o.name).collect();
    assert_eq!(names.len(), OPS.len());
    assert!(OPS.iter().all(|o| o.doc.len() > 10));
}
