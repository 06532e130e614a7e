//! Messages, each under its own writer's schema: the right answer for each, and no allocation once schemas are known.

use reschema::messages::{Framing, MemoryStore, MessageReader, SchemaId, SchemaStore, from_header, to_header};
use reschema::{Endpoint, Engine, ErrorKind, Schema};
use reschema_tests::engines::{assert_tier, both};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Counts what the current thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn note() {
    // The thread may be ending: then nobody measures.
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: the caller's promise.
        unsafe { System.realloc(p, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WRITERS: u32 = 50;

/// Version `n` has a field of its own before and behind what the reader wants.
fn writer(n: u32) -> Schema {
    let text = format!(
        r#"{{"type":"record","name":"R","fields":[{{"name":"a{n}","type":"string"}},{{"name":"id","type":"int"}},
        {{"name":"b{n}","type":["null","long"]}},{{"name":"name","type":"string"}}]}}"#
    );
    Schema::parse(&text).expect("a schema")
}

fn reader() -> Schema {
    let text = r#"{"type":"record","name":"R","fields":[{"name":"name","type":"string"},{"name":"id","type":"long"},
        {"name":"more","type":"string","default":"-"}]}"#;
    Schema::parse(text).expect("a schema")
}

/// The value of message `i`, and what it becomes.
fn value(i: u32) -> (Vec<u8>, Vec<u8>) {
    let id = (i % 60) as u8;
    let name = &b"abcdefghij"[..(i % 10) as usize];
    let mut value = vec![4, b'x', b'y', id << 1, 2, 0x82, 0x01, (name.len() as u8) << 1];
    value.extend_from_slice(name);
    let mut out = vec![(name.len() as u8) << 1];
    out.extend_from_slice(name);
    out.extend_from_slice(&[id << 1, 2, b'-']);
    (value, out)
}

#[test]
fn many_writers_and_no_allocation() {
    for (framing, tier) in [(Framing::SingleObject, 0), (Framing::Confluent, 0), (Framing::SingleObject, 1)] {
        let engine = &both()[tier];
        let mut store = MemoryStore::new();
        let ids: Vec<SchemaId> = (0..WRITERS)
            .map(|n| match framing {
                Framing::SingleObject => store.insert_by_fingerprint(&writer(n)).expect("Avro"),
                _ => {
                    let id = SchemaId::Id(1000 + n);
                    assert!(store.insert(id, &writer(n)).is_none());
                    id
                }
            })
            .collect();
        let messages: Vec<(Vec<u8>, Vec<u8>)> = (0..1000)
            .map(|i| {
                let (value, out) = value(i);
                let mut message = Vec::new();
                assert!(framing.begin(ids[(i % WRITERS) as usize], &mut message));
                message.extend(value);
                (message, out)
            })
            .collect();
        let t = engine.transform(Endpoint::avro(&writer(0)), Endpoint::avro(&reader())).expect("resolves");
        assert_tier(tier, &t);
        let mut r = MessageReader::new(engine, Arc::new(store), Endpoint::avro(&reader()), framing);
        let mut out = Vec::new();
        for (message, want) in &messages {
            out.clear();
            r.read(message, &mut out).expect("reads");
            assert_eq!(&out, want);
        }
        let before = ASKED.get();
        for _ in 0..100 {
            for (message, want) in &messages {
                out.clear();
                r.read(message, &mut out).expect("reads");
                assert_eq!(&out, want);
            }
        }
        assert_eq!(ASKED.get() - before, 0, "allocations for 100 000 messages");
    }
}

/// A store that is down at first, and learns late.
#[derive(Default)]
struct Flaky {
    asked: AtomicUsize,
    schemas: Mutex<Vec<(SchemaId, Schema)>>,
}

impl SchemaStore for Flaky {
    fn find(&self, id: SchemaId) -> Result<Option<Schema>, Box<dyn std::error::Error + Send + Sync>> {
        if self.asked.fetch_add(1, Ordering::Relaxed) == 0 {
            return Err("connection refused".into());
        }
        let schemas = self.schemas.lock().expect("the schemas");
        Ok(schemas.iter().find(|(i, _)| *i == id).map(|(_, s)| s.clone()))
    }
}

#[test]
fn what_the_store_cannot_say_is_asked_again() {
    let store = Arc::new(Flaky::default());
    let mut r = MessageReader::new(&Engine::default(), store.clone(), Endpoint::avro(&reader()), Framing::Confluent);
    let (value, want) = value(1);
    let message = [&[0, 0, 0, 0, 9][..], &value].concat();
    let mut out = b"before".to_vec();
    let e = r.read(&message, &mut out).expect_err("the store is down");
    assert_eq!(e.kind(), ErrorKind::Store);
    assert!(e.to_string().contains("id 9") && e.to_string().contains("connection refused"), "{e}");
    assert_eq!(r.read(&message, &mut out).expect_err("unknown").kind(), ErrorKind::UnknownSchema);
    store.schemas.lock().expect("the schemas").push((SchemaId::Id(9), writer(9)));
    for _ in 0..3 {
        r.read(&message, &mut out).expect("reads");
    }
    assert_eq!(store.asked.load(Ordering::Relaxed), 3);
    assert_eq!(out, [b"before", want.as_slice(), &want, &want].concat());
}

#[test]
fn messages_that_are_none() {
    let mut store = MemoryStore::new();
    store.insert(SchemaId::Id(7), &writer(7));
    store.insert(SchemaId::Id(8), &Schema::parse(r#""string""#).expect("a schema"));
    let mut r = MessageReader::new(&Engine::default(), Arc::new(store), Endpoint::avro(&reader()), Framing::Confluent);
    let good = [&[0, 0, 0, 0, 7][..], &value(3).0].concat();
    let mut out = b"before".to_vec();
    let mut fails = |message: &[u8], kind, at: Option<u64>, part: &str| {
        let e = r.read(message, &mut out).expect_err("bad");
        assert_eq!((e.kind(), e.offset()), (kind, at), "{e}");
        assert!(e.to_string().contains(part), "{part} in {e}");
        assert_eq!(out, b"before");
    };
    fails(b"", ErrorKind::Frame, Some(0), "found 0 bytes");
    fails(&[0, 0, 0, 0], ErrorKind::Frame, Some(0), "found 4 bytes");
    fails(&[0xc3, 1, 0, 0, 0, 0], ErrorKind::Frame, Some(0), "found [c3]");
    fails(&[0, 0, 0, 0, 6], ErrorKind::UnknownSchema, None, "id 6");
    fails(&[0, 0, 0, 0, 8], ErrorKind::Mismatch, None, "");
    fails(&good[..good.len() - 1], ErrorKind::Truncated, Some(12), "");
    fails(&[&good[..], b"xyz"].concat(), ErrorKind::Trailing, Some(good.len() as u64), "3 bytes behind");
    r.read(&good, &mut out).expect("reads");
}

#[test]
fn headers_of_kafka_records() {
    let guid: [u8; 16] = std::array::from_fn(|i| i as u8);
    for id in [SchemaId::Guid(guid), SchemaId::Id(77)] {
        assert_eq!(from_header(&to_header(id).expect("a header")), Ok(id));
    }
    assert_eq!(SchemaId::Guid(guid).to_string(), "GUID 00010203-0405-0607-0809-0a0b0c0d0e0f");
    assert_eq!(to_header(SchemaId::Fingerprint(1)), None);
    for bad in [&b""[..], &[1; 16], &[1; 18], &[0; 4], &[2; 17]] {
        assert!(from_header(bad).is_err(), "{bad:?}");
    }
    let mut store = MemoryStore::new();
    store.insert(SchemaId::Guid(guid), &writer(1));
    let mut r = MessageReader::new(&Engine::default(), Arc::new(store), Endpoint::avro(&reader()), Framing::Confluent);
    let (value, want) = value(5);
    let mut out = Vec::new();
    r.read_as(SchemaId::Guid(guid), &value, &mut out).expect("reads");
    assert_eq!(out, want);
}
