//! Transforms by pair, so that asking again for the same pair costs a look-up.
//!
//! A pair asked for with the same parsed schemas is found by their identity. Otherwise the key is everything the two
//! schemas say, aliases, defaults and logical types included; the parsing canonical form drops those.

use crate::formats::Endpoint;
use crate::transform::Transform;
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Cache {
    capacity: usize,
    clock: u64,
    by_object: HashMap<(usize, usize, &'static str, &'static str), Entry>,
    by_content: HashMap<ContentKey, Entry>,
}

/// Formats and full content of a pair.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ContentKey(&'static str, String, &'static str, String);

struct Entry {
    transform: Transform,
    used: u64,
    /// Keeps the schemas alive, so that their identity is not taken by others.
    _ends: Option<(Endpoint, Endpoint)>,
}

impl ContentKey {
    pub(crate) fn new(w: &Endpoint, r: &Endpoint) -> ContentKey {
        ContentKey(w.format.name, w.schema.content_key().into(), r.format.name, r.schema.content_key().into())
    }
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Cache {
        Cache { capacity, ..Cache::default() }
    }

    pub(crate) fn by_object(&mut self, w: &Endpoint, r: &Endpoint) -> Option<Transform> {
        self.clock += 1;
        let entry = self.by_object.get_mut(&object_key(w, r))?;
        entry.used = self.clock;
        Some(entry.transform.clone())
    }

    pub(crate) fn by_content(&mut self, key: &ContentKey, w: &Endpoint, r: &Endpoint) -> Option<Transform> {
        let entry = self.by_content.get_mut(key)?;
        entry.used = self.clock;
        let transform = entry.transform.clone();
        self.remember(w, r, &transform);
        Some(transform)
    }

    pub(crate) fn insert(&mut self, key: ContentKey, w: &Endpoint, r: &Endpoint, transform: &Transform) {
        if self.capacity == 0 {
            return;
        }
        evict(&mut self.by_content, self.capacity);
        self.by_content.insert(key, Entry { transform: transform.clone(), used: self.clock, _ends: None });
        self.remember(w, r, transform);
    }

    fn remember(&mut self, w: &Endpoint, r: &Endpoint, transform: &Transform) {
        evict(&mut self.by_object, self.capacity);
        let entry = Entry { transform: transform.clone(), used: self.clock, _ends: Some((w.clone(), r.clone())) };
        self.by_object.insert(object_key(w, r), entry);
    }
}

fn object_key(w: &Endpoint, r: &Endpoint) -> (usize, usize, &'static str, &'static str) {
    (w.schema.object_id(), r.schema.object_id(), w.format.name, r.format.name)
}

/// When full, drops the less recently used half.
fn evict<K: Clone + Eq + std::hash::Hash>(map: &mut HashMap<K, Entry>, capacity: usize) {
    if map.len() < capacity {
        return;
    }
    let mut used: Vec<u64> = map.values().map(|e| e.used).collect();
    used.sort_unstable();
    let middle = used[used.len() / 2];
    let mut room = capacity / 2;
    map.retain(|_, e| {
        let keep = e.used >= middle && room > 0;
        room -= usize::from(keep);
        keep
    });
}
