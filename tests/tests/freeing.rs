//! Compiled code goes with its last user. Alone in its process: what is measured is the process's memory.
//!
//! `RESCHEMA_CYCLES` sets how often code is made and dropped.

use reschema::{Endpoint, Engine, Schema};
use reschema_jit::{Compiler, Options};
use std::sync::Arc;

/// Code goes with its last user.
#[test]
#[cfg(target_os = "linux")]
fn code_is_freed() {
    let resident = || {
        let text = std::fs::read_to_string("/proc/self/statm").expect("statm");
        text.split_whitespace().nth(1).and_then(|p| p.parse::<usize>().ok()).expect("pages") * 4096
    };
    let cycles = std::env::var("RESCHEMA_CYCLES").ok().and_then(|v| v.parse().ok()).unwrap_or(1500);
    let schema = Schema::parse(
        r#"{"type":"record","name":"R","fields":[{"name":"a","type":"long"},{"name":"s","type":"string"}]}"#,
    )
    .expect("a schema");
    let t = Engine::default().transform(Endpoint::avro(&schema), Endpoint::avro(&schema)).expect("resolves");
    let program = Arc::new(t.program().clone());
    let compiler = Compiler::new(Options::default()).expect("a machine");
    let once = || drop(compiler.compile(&program).expect("compiles"));
    (0..300).for_each(|_| once());
    let before = resident();
    (0..cycles).for_each(|_| once());
    let grown = resident().saturating_sub(before);
    println!("{cycles} times made and dropped: {grown} bytes more");
    assert!(grown < 4 << 20, "{grown} bytes more after {cycles}");
}
