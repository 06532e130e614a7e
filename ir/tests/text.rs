//! Tests of passes and of the text form: text in, text out.

use reschema_ir::Program;
use reschema_ir::verify::{Bounds, verify};

/// Runs a case file: comments, `pass NAME`, a Program, `=>`, the Program expected.
fn check(name: &str, text: &str) {
    let body: String = text.lines().filter(|l| !l.starts_with(';')).map(|l| format!("{l}\n")).collect();
    let (head, rest) = body.split_once('\n').expect("a pass line");
    let pass = head.strip_prefix("pass ").expect("pass NAME");
    let (before, after) = rest.split_once("=>\n").expect("=>");
    let mut program: Program = before.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(program.to_string(), before, "{name}: prints as it was read");
    verify(&program, Bounds::Ignored).unwrap_or_else(|v| panic!("{name}: {v:?}"));
    assert!(reschema_ir::pass::run_named(&mut program, pass), "{name}: no pass {pass}");
    assert_eq!(program.to_string(), after, "{name}");
    let bounds = if pass == "checks" { Bounds::Checked } else { Bounds::Ignored };
    verify(&program, bounds).unwrap_or_else(|v| panic!("{name}: {v:?}"));
}

#[test]
fn passes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/passes");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("case files").map(|e| e.expect("entry").path()).collect();
    files.sort();
    assert!(files.len() >= 6);
    for path in files {
        check(&path.display().to_string(), &std::fs::read_to_string(&path).expect("text"));
    }
}

#[test]
fn bad_text_is_an_error_with_a_line() {
    let cases = [
        ("", 0),
        ("program columns=0", 1),
        ("program columns=0 users=0\nfunc @0 nums=0 spans=0 marks=0 depth=0 {\n  nonsense !0\n}", 3),
        ("program columns=0 users=0\nfunc @0 nums=0 spans=0 marks=0 depth=0 {\n  skip.num from=zigzag7 !0\n}", 3),
        ("program columns=0 users=0\nconst c0 = xzz", 2),
        ("program columns=0 users=0\npath p0 = \"a", 2),
    ];
    for (text, line) in cases {
        let e = text.parse::<Program>().expect_err(text);
        assert_eq!(e.line, line, "{text:?}: {e}");
    }
    let deep = format!(
        "program columns=0 users=0\nfunc @0 nums=0 spans=0 marks=0 depth=0 {{ {}",
        "verbatim !0 { ".repeat(100_000)
    );
    assert!(deep.parse::<Program>().is_err());
}

fn refused(body: &str, why: &str) {
    let text = format!(
        "program columns=0 users=0\ntable t0 = 1 2\nfunc @0 nums=1 spans=1 marks=1 depth=0 {{\n{body}\n}}\n\
         func @1 nums=0 spans=0 marks=0 depth=0 {{\n}}"
    );
    let program: Program = text.parse().unwrap_or_else(|e| panic!("{body}: {e}"));
    let found = verify(&program, Bounds::Ignored).expect_err(body);
    assert!(found.iter().any(|v| v.message.contains(why)), "{body}: {found:?}");
}

#[test]
fn the_verifier_refuses() {
    refused("write.num src=n0 to=f64 !0", "before it is written");
    refused("write.num src=n7 to=f64 !0", "number register 7 of 1");
    refused("emit value=c3 !0", "constant 3 of 0");
    refused("call func=@9 level=1 !0", "function 9 of 2");
    refused("call func=@0 level=1 !0", "function 0");
    refused("seek mark=m0 !0", "may not be set");
    refused("clear.mark mark=m0 !0\nseek mark=m0 !0", "may not be set");
    refused("if.marked mark=m0 !0 { } { } end", "may not be set");
    refused("clear.mark mark=m0 !0\nif.marked mark=m0 !0 { } end", "expected 2 arms");
    refused("const.num dst=n0 value=1 !0\nmatch src=n0 table=t0 !0 { } { } end", "expected 3 arms");
    refused("verbatim !0 {\n move.num from=f32 to=f64 !0\n}", "not allowed in verbatim");
    refused(
        "mark mark=m0 !0\nloop from=blocks to=none zero=no trust=no !0 {\n seek mark=m0 !0\n clear.mark mark=m0 !0\n}",
        "may not be set",
    );
    refused("read.num dst=n0 from=u16 !0\nuser.num dst=n0 src=n0 user=u0 !0", "user conversion 0 of 0");
}

#[test]
fn a_mark_set_in_one_arm_only_may_not_be_sought() {
    refused("switch.read from=zigzag32 !0 {\n mark mark=m0 !0\n} {\n} end\nseek mark=m0 !0", "may not be set");
}
