//! Transforms by pair, so that asking again for the same pair costs a look-up, and asking at the same time makes it once.
//!
//! A pair asked for with the same parsed schemas is found by their identity. Otherwise the key is everything the two
//! schemas say, aliases, defaults and logical types included, found by its hash and compared in full; the parsing canonical
//! form drops those. Rules, limits and conversions are the engine's, and so the same for all.

use crate::error::Error;
use crate::formats::Endpoint;
use crate::transform::Transform;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

#[derive(Default)]
pub(crate) struct Cache {
    capacity: usize,
    maps: Mutex<Maps>,
}

#[derive(Default)]
struct Maps {
    clock: u64,
    by_object: HashMap<ObjectKey, Entry>,
    by_content: HashMap<ContentKey, Entry>,
    /// Pairs that somebody makes a transform for.
    making: HashMap<ContentKey, Arc<Making>>,
}

/// What those who ask for it at once wait for.
type Making = OnceLock<Result<Transform, Error>>;

/// A format's name and options.
pub(crate) type FormatKey = (&'static str, u64);

/// Identities of the schemas of a pair, and formats.
type ObjectKey = (usize, usize, FormatKey, FormatKey);

/// Formats and full content of a pair.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct ContentKey(FormatKey, String, FormatKey, String);

struct Entry {
    transform: Transform,
    /// When it was asked for last; shared by the entries of a pair, so that none goes while another is in use.
    used: Arc<AtomicU64>,
    /// Keeps the schemas alive, so that their identity is not taken by others.
    _ends: Option<(Endpoint, Endpoint)>,
}

impl ContentKey {
    pub(crate) fn new(w: &Endpoint, r: &Endpoint) -> ContentKey {
        ContentKey(w.format.key(), w.schema.content_key().into(), r.format.key(), r.schema.content_key().into())
    }
}

impl Cache {
    pub(crate) fn new(capacity: usize) -> Cache {
        Cache { capacity, ..Cache::default() }
    }

    fn maps(&self) -> MutexGuard<'_, Maps> {
        // A panic elsewhere cannot leave the maps half changed in a way that matters.
        self.maps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn by_object(&self, w: &Endpoint, r: &Endpoint) -> Option<Transform> {
        let mut maps = self.maps();
        maps.clock += 1;
        let entry = maps.by_object.get(&object_key(w, r))?;
        entry.used.store(maps.clock, Ordering::Relaxed);
        Some(entry.transform.clone())
    }

    /// The transform of a pair; made, if there is none and nobody makes it already.
    pub(crate) fn by_content(
        &self,
        key: ContentKey,
        w: &Endpoint,
        r: &Endpoint,
        make: impl FnOnce() -> Result<Transform, Error>,
    ) -> Result<Transform, Error> {
        let making = {
            let mut maps = self.maps();
            if let Some(entry) = maps.by_content.get(&key) {
                let (transform, used) = (entry.transform.clone(), entry.used.clone());
                used.store(maps.clock, Ordering::Relaxed);
                let old = maps.remember(self.capacity, w, r, &transform, used);
                drop(maps);
                drop(old);
                return Ok(transform);
            }
            maps.making.entry(key.clone()).or_default().clone()
        };
        let mut made = false;
        let result = making.get_or_init(|| {
            made = true;
            make()
        });
        if made {
            let mut maps = self.maps();
            maps.making.remove(&key);
            let old = result.as_ref().ok().map(|t| maps.insert(self.capacity, key, w, r, t));
            drop(maps);
            drop(old);
        }
        result.clone()
    }
}

impl Maps {
    /// Adds a transform, and returns those that have lost their place: they are to go when nobody waits for the maps.
    fn insert(&mut self, capacity: usize, key: ContentKey, w: &Endpoint, r: &Endpoint, t: &Transform) -> Vec<Entry> {
        if capacity == 0 {
            return Vec::new();
        }
        let mut old = evict(&mut self.by_content, capacity);
        let used = Arc::new(AtomicU64::new(self.clock));
        self.by_content.insert(key, Entry { transform: t.clone(), used: used.clone(), _ends: None });
        old.extend(self.remember(capacity, w, r, t, used));
        old
    }

    fn remember(
        &mut self,
        capacity: usize,
        w: &Endpoint,
        r: &Endpoint,
        t: &Transform,
        used: Arc<AtomicU64>,
    ) -> Vec<Entry> {
        let mut old = evict(&mut self.by_object, capacity);
        let entry = Entry { transform: t.clone(), used, _ends: Some((w.clone(), r.clone())) };
        old.extend(self.by_object.insert(object_key(w, r), entry));
        old
    }
}

fn object_key(w: &Endpoint, r: &Endpoint) -> ObjectKey {
    (w.schema.object_id(), r.schema.object_id(), w.format.key(), r.format.key())
}

/// When full, takes out the less recently used half.
fn evict<K: Clone + Eq + std::hash::Hash>(map: &mut HashMap<K, Entry>, capacity: usize) -> Vec<Entry> {
    if map.len() < capacity {
        return Vec::new();
    }
    let when = |e: &Entry| e.used.load(Ordering::Relaxed);
    let mut used: Vec<u64> = map.values().map(when).collect();
    used.sort_unstable();
    let middle = used[used.len() / 2];
    let mut room = capacity / 2;
    let goes = |_: &K, e: &mut Entry| {
        let keep = when(e) >= middle && room > 0;
        room -= usize::from(keep);
        !keep
    };
    map.extract_if(goes).map(|(_, e)| e).collect()
}
