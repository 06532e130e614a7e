//! The dependency arrows of the workspace: who may know whom.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// For each inner crate the inner crates it may use. Formats are added by their folder.
fn allowed(name: &str, path: &str) -> Option<Vec<&'static str>> {
    let inner = |list: &[&'static str]| Some(list.to_vec());
    if path.contains("/formats/") {
        return inner(&["reschema-lower", "reschema-schema", "reschema-ir", "reschema-runtime"]);
    }
    match name {
        "reschema-ir" | "reschema-schema" => inner(&[]),
        "reschema-runtime" => inner(&["reschema-ir"]),
        "reschema-lower" => inner(&["reschema-ir", "reschema-schema"]),
        "reschema-interp" | "reschema-jit" => inner(&["reschema-ir", "reschema-runtime"]),
        "reschema-cli" => inner(&["reschema"]),
        // The engine joins all of them; tests and benches may look anywhere.
        "reschema" | "reschema-tests" | "reschema-benches" => None,
        other => panic!("{other} has no place in the list of arrows: see ARCHITECTURE.md"),
    }
}

fn metadata() -> Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let out = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .expect("cargo metadata");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).expect("JSON")
}

/// Normal dependencies of each package on packages of the workspace.
fn arrows() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |v: &Value| v.as_str().expect("text").to_string();
    let names: BTreeSet<String> = packages.iter().map(|p| text(&p["name"])).collect();
    let of = |p: &Value| {
        let deps = p["dependencies"].as_array().expect("dependencies");
        let normal = deps.iter().filter(|d| d["kind"].is_null()).map(|d| text(&d["name"]));
        normal.filter(|d| names.contains(d)).collect::<BTreeSet<String>>()
    };
    packages.iter().map(|p| (text(&p["name"]), (text(&p["manifest_path"]), of(p)))).collect()
}

#[test]
fn dependencies_point_one_way() {
    let arrows = arrows();
    assert!(arrows.len() >= 11, "{:?}", arrows.keys());
    for (name, (path, deps)) in &arrows {
        let Some(allowed) = allowed(name, path) else { continue };
        for dep in deps {
            assert!(allowed.contains(&dep.as_str()), "{name} must not depend on {dep}");
        }
    }
}

#[test]
fn nobody_depends_on_tests_or_benches() {
    for (name, (_, deps)) in arrows() {
        assert!(!deps.contains("reschema-tests") && !deps.contains("reschema-benches"), "{name}");
    }
}
