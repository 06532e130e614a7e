//! Which writer field a reader field is read from (Avro 1.12, "Aliases").

use super::words::{listed, short};
use crate::model::RecordType;
use std::collections::{BTreeMap, HashMap, HashSet};

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
    let taken_by_name = sources.clone();
    let taken: HashSet<usize> = sources.iter().flatten().copied().collect();
    // In the order of the writer, so that messages do not change from run to run.
    let mut claims: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut ambiguous = Vec::new();
    for (i, field) in r.fields.iter().enumerate().filter(|(i, _)| taken_by_name[*i].is_none()) {
        let found = field.aliases.iter().filter_map(|alias| written.get(alias.as_str()).copied());
        let candidates = distinct(found.filter(|c| !taken.contains(c)));
        let Some(first) = candidates.first().copied() else { continue };
        sources[i] = Some(first);
        if candidates.len() > 1 {
            let names = listed(candidates.iter().map(|c| short(&w.fields[*c].name)), MAX_NAMED);
            ambiguous
                .push((Some(i), format!("aliases of {} name several written fields: {names}", short(&field.name))));
        } else {
            claims.entry(first).or_default().push(i);
        }
    }
    for (c, claimers) in claims.iter().filter(|(_, claimers)| claimers.len() > 1) {
        let names = listed(claimers.iter().map(|i| short(&r.fields[*i].name)), MAX_NAMED);
        ambiguous.push((None, format!("fields {names} all have {} as alias", short(&w.fields[*c].name))));
    }
    Matched { sources, ambiguous }
}

/// Names in a message.
const MAX_NAMED: usize = 16;

/// The same without repetitions, in order.
fn distinct(items: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = HashSet::new();
    items.filter(|i| seen.insert(*i)).collect()
}
