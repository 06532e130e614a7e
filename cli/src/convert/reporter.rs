//! What is told while a conversion goes on: a progress bar on a terminal, and the first damages.

use super::Destination;
use crate::exit::say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reschema::convert::{Damage, DeadLetters, Report, Watch};
use std::io;
use std::time::{Duration, Instant};

/// Damages that are shown; the rest is counted.
const SHOWN: u64 = 10;
/// Short work shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Reporter {
    bar: Option<ProgressBar>,
    start: Instant,
    /// Bytes of all inputs, if known.
    total: Option<u64>,
    /// Bytes of the inputs that are done.
    before: u64,
    shown: u64,
    quiet: bool,
    /// Damages are set aside somewhere: fewer words are needed.
    kept: bool,
}

/// Hears of one file.
pub(super) struct Listener<'r> {
    reporter: &'r mut Reporter,
    name: &'r str,
    letters: Option<&'r mut DeadLetters<Destination>>,
}

impl Reporter {
    pub(super) fn new(total: Option<u64>, quiet: bool, kept: bool) -> Reporter {
        Reporter { bar: None, start: Instant::now(), total, before: 0, shown: 0, quiet, kept }
    }

    pub(super) fn of<'r>(
        &'r mut self,
        name: &'r str,
        letters: Option<&'r mut DeadLetters<Destination>>,
    ) -> Listener<'r> {
        Listener { reporter: self, name, letters }
    }

    /// A file is done.
    pub(super) fn add(&mut self, bytes: u64) {
        self.before += bytes;
    }

    /// Damages so far.
    pub(super) fn damages(&self) -> u64 {
        self.shown
    }

    /// Takes the bar away, and tells how much was not shown.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if self.shown > SHOWN {
            say(&format!("reschema: and {} more", self.shown - SHOWN));
        }
    }

    fn progress(&mut self, bytes: u64) {
        if self.quiet || self.start.elapsed() < PATIENCE {
            return;
        }
        let done = self.before + bytes;
        self.bar.get_or_insert_with(|| bar(self.total)).set_position(done);
    }

    fn damage(&mut self, name: &str, damage: &Damage) {
        self.shown += 1;
        if self.shown > SHOWN {
            return;
        }
        let what = if self.kept { "set aside" } else { "left out" };
        let words = format!("reschema: {name}: {what} ({}): {damage}", damage.lost.as_str());
        match &self.bar {
            Some(bar) => bar.suspend(|| say(&words)),
            None => say(&words),
        }
    }
}

/// Drawn on a terminal only.
fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(8));
    let template = match total {
        Some(_) => "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

impl Watch for Listener<'_> {
    fn progress(&mut self, report: &Report) {
        self.reporter.progress(report.bytes_read);
    }

    fn damage(&mut self, damage: &Damage) -> io::Result<()> {
        self.reporter.damage(self.name, damage);
        match &mut self.letters {
            Some(letters) => letters.damage(damage),
            None => Ok(()),
        }
    }

    fn wants_bytes(&self) -> bool {
        self.letters.is_some()
    }
}
