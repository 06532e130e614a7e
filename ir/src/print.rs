//! The text form of a Program. [`crate::parse`] reads it back.

use crate::operand::Body;
use crate::program::{Function, Program};
use std::fmt::{self, Write};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        let _ = writeln!(out, "program columns={} users={}", self.columns, self.users);
        for (i, c) in self.consts.iter().enumerate() {
            let _ = writeln!(out, "const c{i} = x{}", Hex(c));
        }
        for (i, t) in self.tables.iter().enumerate() {
            let entries: Vec<String> = t.0.iter().map(|e| e.map_or("_".into(), |v| v.to_string())).collect();
            let _ = writeln!(out, "table t{i} = {}", entries.join(" "));
        }
        for (i, p) in self.paths.iter().enumerate() {
            let _ = writeln!(out, "path p{i} = {:?} {:?}", p.source, p.target);
        }
        for (i, func) in self.funcs.iter().enumerate() {
            print_function(&mut out, i, func);
        }
        f.write_str(&out)
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

fn print_function(out: &mut String, i: usize, f: &Function) {
    let Function { nums, spans, marks, depth, body } = f;
    let _ = writeln!(out, "func @{i} nums={nums} spans={spans} marks={marks} depth={depth} {{");
    print_body(out, body, 1);
    out.push_str("}\n");
}

/// Prints a body, one instruction a line, nested bodies indented.
pub(crate) fn print_body(out: &mut String, body: &Body, indent: usize) {
    for inst in &body.0 {
        push_indent(out, indent);
        out.push_str(inst.op.info().name);
        inst.op.print_operands(out);
        let _ = write!(out, " !{}", inst.site.0);
        for nested in inst.op.bodies() {
            out.push_str(" {\n");
            print_body(out, nested, indent + 1);
            push_indent(out, indent);
            out.push('}');
        }
        if inst.op.info().operands.contains(&"arms") {
            out.push_str(" end");
        }
        out.push('\n');
    }
}

fn push_indent(out: &mut String, indent: usize) {
    for _ in 0..indent {
        out.push_str("  ");
    }
}
