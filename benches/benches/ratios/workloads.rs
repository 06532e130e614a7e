//! The workloads: data, both schemas, and what was written by hand or derived for the pair.

use crate::candidates::{BRANCHY, UNSAFE, WORDS};
use reschema_benches::data::{self, Data};
use reschema_benches::hand::{self, Cur, Res};
use reschema_benches::hand_unsafe::{
    self, Bound, ChangeEvolved, OrderEvolved, OrderSame, Runner, SixDefaults, SixFloats, SixReordered, SixSame,
    WideBranchy, WideSelect,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A workload: data under a writer's schema, wanted under a reader's.
pub(crate) struct Workload {
    /// For the table.
    pub(crate) name: &'static str,
    /// Records under the writer's schema.
    pub(crate) data: Data,
    /// Reader's schema.
    pub(crate) reader: String,
    /// The bound by hand that checks each access.
    pub(crate) hand: fn(&mut Cur<'_>, &mut Vec<u8>) -> Res<()>,
    /// The bounds by hand that do not.
    pub(crate) unchecked: Vec<Unsafe>,
    /// serde_avro_fast, over a range of records.
    pub(crate) serde: Option<SerdeRun>,
}

/// serde_avro_fast over records `from..to`.
pub(crate) type SerdeRun = fn(&Peer, &Data, usize, usize, &mut Vec<u8>);

/// A bound by hand that does not check each access.
#[derive(Clone, Copy)]
pub(crate) struct Unsafe {
    /// For the table.
    pub(crate) name: &'static str,
    /// Transforms a number of records: bytes of input they took.
    pub(crate) run: fn(&mut Runner, &[u8], usize, &mut Vec<u8>) -> hand_unsafe::Res<usize>,
}

fn unsafe_words<B: Bound>() -> Unsafe {
    Unsafe { name: WORDS, run: Runner::run::<B> }
}

fn unsafe_hand<B: Bound>() -> Unsafe {
    Unsafe { name: UNSAFE, run: Runner::run::<B> }
}

/// Records of a workload.
pub(crate) const RECORDS: usize = 10_000;

/// All workloads; `records` each.
pub(crate) fn workloads(records: usize) -> Vec<Workload> {
    let n = records;
    let raw = |mut d: Data| {
        d.schema = data::r1raw();
        d
    };
    let mut list = Vec::new();
    let mut add = |name, data, reader: &str, hand, unchecked: &[Unsafe], serde| {
        list.push(Workload { name, data, reader: reader.to_string(), hand, unchecked: unchecked.to_vec(), serde });
    };
    let same = [unsafe_hand::<SixSame<true>>(), unsafe_words::<SixSame<false>>()];
    add("six-field same", data::gt(n), data::GT, hand::gt_same, &same, Some(reencode::<data::Gt> as SerdeRun));
    let reordered = [unsafe_hand::<SixReordered<true>>(), unsafe_words::<SixReordered<false>>()];
    add("six-field reordered", data::gt(n), data::GT_OOO, hand::gt_ooo, &reordered, Some(reencode::<data::GtO>));
    add("six-field int to long", data::gt(n), data::GT_PROMO, hand::gt_same, &same, Some(reencode::<data::GtL>));
    let defaults = [unsafe_hand::<SixDefaults<true>>(), unsafe_words::<SixDefaults<false>>()];
    add(
        "six-field two defaults",
        data::gt(n),
        data::GT_DEFAULT,
        hand::gt_default,
        &defaults,
        Some(reencode::<data::GtD>),
    );
    add(
        "six-field float to double",
        data::gtf(n),
        data::GT_PROMO,
        hand::gtf_promo,
        &[unsafe_hand::<SixFloats<true>>(), unsafe_words::<SixFloats<false>>()],
        None,
    );
    let (orders, same) = (raw(data::r1(n)), [unsafe_hand::<OrderSame>()]);
    add("order event same", orders, &data::r1raw(), hand::r1_same::<true>, &same, Some(reencode::<data::OrderO>));
    let (orders, evolved) = (raw(data::r1(n)), [unsafe_hand::<OrderEvolved>()]);
    add("order event evolved", orders, &data::r1eraw(), hand::r1_to_r1e::<true>, &evolved, Some(reencode::<OrderE>));
    let (wide, select) =
        (data::r2(n / 5), [unsafe_hand::<WideSelect>(), Unsafe { name: BRANCHY, run: Runner::run::<WideBranchy> }]);
    add("200 nullable to 10", wide, &data::r2p(), hand::r2_proj_avro, &select, Some(reencode::<data::WideP<String>>));
    add("change data evolved", data::r3(n), data::R3E, hand::r3_to_e, &[unsafe_hand::<ChangeEvolved>()], None);
    list
}

type OrderE = data::OrderE<String, serde_bytes::ByteBuf, std::collections::HashMap<String, String>>;

/// Schemas as serde_avro_fast has them.
pub(crate) struct Peer {
    pub(crate) writer: serde_avro_fast::Schema,
    pub(crate) reader: serde_avro_fast::Schema,
}

fn reencode<T: DeserializeOwned + Serialize>(peer: &Peer, data: &Data, from: usize, to: usize, out: &mut Vec<u8>) {
    let mut config = serde_avro_fast::ser::SerializerConfig::new(&peer.reader);
    for i in from..to {
        let value: T = serde_avro_fast::from_datum_slice(data.rec(i), &peer.writer).expect("serde_avro_fast reads");
        let taken = std::mem::take(out);
        *out = serde_avro_fast::to_datum(&value, taken, &mut config).expect("serde_avro_fast writes");
    }
}
