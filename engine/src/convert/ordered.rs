//! One thread or several over one file, with the output in the order of the input.
//!
//! Several threads take stretches of the file in turns: whoever is free reads the next, converts it, and hands the
//! result over. Results that come before their turn are parked; when too many are, their makers wait. So memory is
//! bounded, nobody waits for a thread that only reads, and the first error in the input is the one that counts.

use super::worker::{Halt, Out, Worker};
use super::{Cause, ConvertError, Damage, KEPT_BYTES, Lost, OnDamage, Report, UNIT_BLOCKS, UNIT_BYTES, Watch};
use crate::container::{ContainerError, ContainerErrorKind, Packed, Packer, Reader, StoredBlock, Writer};
use crate::transform::Transform;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The file that is read.
pub(super) struct File<R> {
    reader: Reader<R>,
    /// Number of the next stretch.
    number: u64,
    /// Values before the next block, as the headers say.
    record: u64,
    ended: bool,
    on_damage: OnDamage,
    keep_bytes: bool,
}

impl<R: Read> File<R> {
    pub(super) fn new(reader: Reader<R>, on_damage: OnDamage, keep_bytes: bool) -> File<R> {
        File { reader, number: 0, record: 0, ended: false, on_damage, keep_bytes }
    }

    /// The next block with the number of its first value. Damage comes as an error, and the file stands behind it.
    fn next(&mut self, stored: &mut StoredBlock) -> Result<Option<u64>, Box<Damage>> {
        match self.reader.next_stored(stored) {
            Ok(true) => {
                let record = self.record;
                self.record = record.saturating_add(stored.count());
                Ok(Some(record))
            }
            Ok(false) => {
                self.ended = true;
                Ok(None)
            }
            Err(e) => Err(Box::new(self.behind(e))),
        }
    }

    fn behind(&mut self, e: ContainerError) -> Damage {
        let (block, mut offset, mut len, mut bytes) = (e.block().unwrap_or(0), e.offset(), 0, Vec::new());
        let mut cause = e;
        if self.on_damage == OnDamage::Fail || cause.kind() == ContainerErrorKind::Io {
            self.ended = true;
        } else {
            let keep = if self.keep_bytes { KEPT_BYTES } else { 0 };
            let gap = self.reader.resync(|part| bytes.extend(part.iter().take(keep - bytes.len())));
            match gap {
                Ok(Some(gap)) => (offset, len) = (gap.from, gap.lost),
                Ok(None) => self.ended = true,
                Err(e) => (cause, self.ended) = (e, true),
            }
        }
        let record = self.record;
        Damage { lost: Lost::Gap, cause: Cause::Container(cause), record, records: None, block, offset, len, bytes }
    }

    fn worker<'t, W: Write>(&self, transform: &'t Transform, output: &Writer<W>) -> Result<Worker<'t>, ConvertError> {
        let unpacker = self.reader.unpacker().map_err(ConvertError::Output)?;
        Ok(Worker::new(transform, unpacker, output.block_bytes(), self.on_damage, self.keep_bytes))
    }
}

/// True for a failure of the stream, which no skipping helps against.
fn is_io(damage: &Damage) -> bool {
    matches!(&damage.cause, Cause::Container(e) if e.kind() == ContainerErrorKind::Io)
}

fn meet(damage: Box<Damage>, worker: &mut Worker<'_>, out: &mut impl Out) -> Result<(), Halt> {
    if is_io(&damage) { Err(Halt::Damage(damage)) } else { worker.damaged(*damage, out) }
}

/// The error that a conversion ends with, if it is this thread's.
fn error(halt: Halt) -> Option<ConvertError> {
    match halt {
        Halt::Damage(d) => Some(ConvertError::Damage(d)),
        Halt::Output(e) => Some(ConvertError::Output(e)),
        Halt::Watch(e) => Some(ConvertError::Watch(e)),
        Halt::Stopped => None,
    }
}

/// Counts where stretches end.
#[derive(Default)]
struct Stretch {
    bytes: usize,
    blocks: usize,
}

impl Stretch {
    fn add(&mut self, stored: &StoredBlock) {
        self.bytes += stored.data().len();
        self.blocks += 1;
    }

    /// Gaps count too: a file may be nothing else.
    fn add_gap(&mut self, damage: &Damage) {
        self.bytes = self.bytes.saturating_add(damage.bytes.len());
        self.blocks += 1;
    }

    fn is_full(&self) -> bool {
        self.bytes >= UNIT_BYTES || self.blocks >= UNIT_BLOCKS
    }
}

/// The output itself.
struct Direct<'d, W> {
    output: &'d mut Writer<W>,
    watch: &'d mut dyn Watch,
    report: Report,
}

impl<W: Write> Out for Direct<'_, W> {
    fn block(&mut self, count: u64, values: &[u8]) -> Result<(), Halt> {
        self.output.append_block(count, values).map_err(Halt::Output)
    }

    fn damage(&mut self, damage: Damage) -> Result<(), Halt> {
        self.report.lose(&damage);
        self.watch.damage(&damage).map_err(Halt::Watch)
    }
}

/// On this thread: blocks go straight to the output.
pub(super) fn alone<R: Read, W: Write>(
    mut file: File<R>,
    transform: &Transform,
    output: &mut Writer<W>,
    watch: &mut dyn Watch,
) -> Result<Report, ConvertError> {
    let mut worker = file.worker(transform, output)?;
    let mut out = Direct { output, watch, report: Report::default() };
    let mut stored = StoredBlock::new();
    while !file.ended {
        let mut stretch = Stretch::default();
        let mut result = Ok(());
        while result.is_ok() && !file.ended && !stretch.is_full() {
            result = match file.next(&mut stored) {
                Ok(Some(record)) => {
                    stretch.add(&stored);
                    worker.block(&mut stored, record, &mut out)
                }
                Ok(None) => Ok(()),
                Err(damage) => {
                    stretch.add_gap(&damage);
                    meet(damage, &mut worker, &mut out)
                }
            };
        }
        // What came before an error is written too; if it cannot be, that is the error.
        let ended = worker.end(&mut out);
        out.report.records = out.report.records.saturating_add(worker.records());
        out.report.bytes_read = file.reader.position();
        out.watch.progress(&out.report);
        if let Some(e) = ended.and(result).err().and_then(error) {
            return Err(e);
        }
    }
    Ok(out.report)
}

/// A stretch converted, or a part of it.
struct Made {
    packed: Packed,
    records: u64,
    damages: Vec<Damage>,
    /// Bytes of the file that are read; 0 for all but the last part.
    position: u64,
    result: Result<(), Halt>,
}

/// Blocks packed and damages met, waiting for their turn.
struct Making<'m, 's, R, W> {
    shared: &'m Shared<'s, R, W>,
    number: u64,
    packer: &'m mut Packer,
    packed: Packed,
    damages: Vec<Damage>,
    /// Bytes of memory, about.
    weight: usize,
}

/// Bytes of memory that a stretch's result may take. One that grows larger, because values grow or because everything is
/// bad, waits for its turn and is written in parts.
const MOST_MADE: usize = 8 << 20;
/// What a damage takes besides the bytes it keeps.
const DAMAGE: usize = 1024;

impl<R: Read, W: Write> Making<'_, '_, R, W> {
    fn heavier(&mut self, bytes: usize) -> Result<(), Halt> {
        self.weight += bytes;
        if self.weight < MOST_MADE {
            return Ok(());
        }
        self.weight = 0;
        let (packed, damages) = (std::mem::take(&mut self.packed), std::mem::take(&mut self.damages));
        let made = Made { packed, records: 0, damages, position: 0, result: Ok(()) };
        self.packed = self.shared.hand_over_part(self.number, made)?;
        Ok(())
    }
}

impl<R: Read, W: Write> Out for Making<'_, '_, R, W> {
    fn block(&mut self, count: u64, values: &[u8]) -> Result<(), Halt> {
        let before = self.packed.len();
        self.packer.pack(count, values, &mut self.packed).map_err(Halt::Output)?;
        self.heavier(self.packed.len() - before)
    }

    fn damage(&mut self, damage: Damage) -> Result<(), Halt> {
        let weight = DAMAGE + damage.bytes.len();
        self.damages.push(damage);
        self.heavier(weight)
    }
}

/// What the threads share.
struct Shared<'a, R, W> {
    file: Mutex<File<R>>,
    order: Mutex<Order<'a, W>>,
    turn: Condvar,
    /// Buffers to be used again.
    spare: Mutex<Vec<Packed>>,
    /// No more stretches are wanted: there is an error, or a thread has died.
    stop: AtomicBool,
    /// Results that may be parked.
    parked: usize,
}

struct Order<'a, W> {
    /// Number of the stretch that is written next.
    next: u64,
    parked: BTreeMap<u64, Made>,
    output: &'a mut Writer<W>,
    watch: &'a mut dyn Watch,
    report: Report,
    error: Option<ConvertError>,
}

/// On several threads.
pub(super) fn together<R: Read + Send, W: Write + Send>(
    threads: usize,
    file: File<R>,
    transform: &Transform,
    output: &mut Writer<W>,
    watch: &mut dyn Watch,
) -> Result<Report, ConvertError> {
    let mut workers = Vec::with_capacity(threads);
    for _ in 0..threads {
        workers.push((file.worker(transform, output)?, output.packer().map_err(ConvertError::Output)?));
    }
    let (parked, report) = (BTreeMap::new(), Report::default());
    let shared = Shared {
        file: Mutex::new(file),
        order: Mutex::new(Order { next: 0, parked, output, watch, report, error: None }),
        turn: Condvar::new(),
        spare: Mutex::default(),
        stop: AtomicBool::new(false),
        parked: 2 * threads,
    };
    let work = |(mut worker, mut packer): (Worker<'_>, Packer)| {
        let _alarm = Alarm(&shared);
        while let Some((number, made)) = shared.stretch(&mut worker, &mut packer) {
            shared.hand_over(number, made);
        }
    };
    std::thread::scope(|scope| {
        let mine = workers.pop();
        for other in workers {
            // Where the system has no more threads, fewer do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, || work(other));
        }
        mine.map(work);
    });
    let order = shared.order.into_inner().unwrap_or_else(PoisonError::into_inner);
    match order.error {
        Some(e) => Err(e),
        None => Ok(order.report),
    }
}

/// Tells the others if this thread panics, so that none waits for it.
struct Alarm<'s, 'a, R, W>(&'s Shared<'a, R, W>);

impl<R, W> Drop for Alarm<'_, '_, R, W> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.store(true, Ordering::Release);
            // Whoever is about to wait has looked, or will look, under the lock.
            drop(lock(&self.0.order));
            self.0.turn.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Read, W: Write> Shared<'_, R, W> {
    /// Reads and converts the next stretch; `None` when there is none.
    fn stretch(&self, worker: &mut Worker<'_>, packer: &mut Packer) -> Option<(u64, Made)> {
        if self.stopped() {
            return None;
        }
        let mut packed = lock(&self.spare).pop().unwrap_or_default();
        packed.clear();
        let mut read: Vec<(Result<u64, Box<Damage>>, StoredBlock)> = Vec::new();
        let (number, position) = {
            let mut file = lock(&self.file);
            if file.ended {
                return None;
            }
            let mut stretch = Stretch::default();
            while !file.ended && !stretch.is_full() {
                let mut stored = StoredBlock::new();
                match file.next(&mut stored) {
                    Ok(Some(record)) => {
                        stretch.add(&stored);
                        read.push((Ok(record), stored));
                    }
                    Ok(None) => {}
                    Err(damage) => {
                        stretch.add_gap(&damage);
                        read.push((Err(damage), stored));
                    }
                }
            }
            file.number += 1;
            (file.number - 1, file.reader.position())
        };
        let mut out = Making { shared: self, number, packer, packed, damages: Vec::new(), weight: 0 };
        let mut result = Ok(());
        for (what, mut stored) in read {
            result = match what {
                Ok(record) => worker.block(&mut stored, record, &mut out),
                Err(damage) => meet(damage, worker, &mut out),
            };
            if result.is_err() {
                break;
            }
        }
        let ended = worker.end(&mut out);
        let Making { packed, damages, .. } = out;
        Some((number, Made { packed, records: worker.records(), damages, position, result: ended.and(result) }))
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Writes a part of a stretch when its turn has come; gives a buffer for the next.
    fn hand_over_part(&self, number: u64, made: Made) -> Result<Packed, Halt> {
        let mut order = lock(&self.order);
        while number != order.next && !self.stopped() {
            order = self.turn.wait(order).unwrap_or_else(PoisonError::into_inner);
        }
        if self.stopped() {
            return Err(Halt::Stopped);
        }
        let mut packed = order.take(made);
        packed.clear();
        if order.error.is_some() {
            self.stop.store(true, Ordering::Release);
            self.turn.notify_all();
            return Err(Halt::Stopped);
        }
        Ok(packed)
    }

    /// Writes a stretch when its turn has come, and those that waited for it.
    fn hand_over(&self, number: u64, made: Made) {
        let mut order = lock(&self.order);
        while number != order.next && order.parked.len() >= self.parked && !self.stopped() {
            order = self.turn.wait(order).unwrap_or_else(PoisonError::into_inner);
        }
        order.parked.insert(number, made);
        while !self.stopped() {
            let next = order.next;
            let Some(made) = order.parked.remove(&next) else { break };
            order.next += 1;
            let packed = order.take(made);
            lock(&self.spare).push(packed);
            if order.error.is_some() {
                self.stop.store(true, Ordering::Release);
            }
        }
        self.turn.notify_all();
    }
}

impl<W: Write> Order<'_, W> {
    /// Writes, tells, and gives the buffer back.
    fn take(&mut self, made: Made) -> Packed {
        let Made { packed, records, damages, position, result } = made;
        let written = self.output.append_packed(&packed).map_err(Halt::Output);
        let done = written.and_then(|()| self.tell(records, &damages, position)).and(result);
        self.error = done.err().and_then(error);
        packed
    }

    fn tell(&mut self, records: u64, damages: &[Damage], position: u64) -> Result<(), Halt> {
        self.report.records = self.report.records.saturating_add(records);
        self.report.bytes_read = self.report.bytes_read.max(position);
        for damage in damages {
            self.report.lose(damage);
            self.watch.damage(damage).map_err(Halt::Watch)?;
        }
        self.watch.progress(&self.report);
        Ok(())
    }
}
