//! Which writer field a reader field is read from (Avro 1.12, "Aliases").

use crate::model::RecordType;
use std::collections::{HashMap, HashSet};

/// For each reader field the index of its writer field.
pub(super) struct Matched {
    pub(super) sources: Vec<Option<usize>>,
    /// Reader field (if one) and what is ambiguous.
    pub(super) ambiguous: Vec<(Option<usize>, String)>,
}

/// Exact names first; then aliases, for writer fields that no reader field names exactly. Two claims to one writer
/// field, or one reader field with two candidates, are ambiguous.
pub(super) fn match_fields(w: &RecordType, r: &RecordType) -> Matched {
    let written: HashMap<&str, usize> = w.fields.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
    let mut sources: Vec<Option<usize>> = r.fields.iter().map(|f| written.get(f.name.as_str()).copied()).collect();
    let taken: HashSet<usize> = sources.iter().flatten().copied().collect();
    let mut claims: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut ambiguous = Vec::new();
    for (i, field) in r.fields.iter().enumerate() {
        if sources[i].is_some() {
            continue;
        }
        let mut candidates = Vec::new();
        for alias in &field.aliases {
            match written.get(alias.as_str()) {
                Some(c) if !taken.contains(c) && !candidates.contains(c) => candidates.push(*c),
                _ => {}
            }
        }
        let Some(first) = candidates.first().copied() else { continue };
        sources[i] = Some(first);
        if candidates.len() > 1 {
            let names: Vec<&str> = candidates.iter().map(|c| w.fields[*c].name.as_str()).collect();
            ambiguous.push((
                Some(i),
                format!("aliases of {} name several written fields: {}", field.name, names.join(", ")),
            ));
        } else {
            match claims.iter_mut().find(|(c, _)| *c == first) {
                Some((_, claimers)) => claimers.push(i),
                None => claims.push((first, vec![i])),
            }
        }
    }
    for (c, claimers) in claims.iter().filter(|(_, claimers)| claimers.len() > 1) {
        let names: Vec<&str> = claimers.iter().map(|i| r.fields[*i].name.as_str()).collect();
        ambiguous.push((None, format!("fields {} all have {} as alias", names.join(", "), w.fields[*c].name)));
    }
    Matched { sources, ambiguous }
}
