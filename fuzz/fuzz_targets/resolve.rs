//! See `reschema_tests::fuzz::resolve`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reschema_tests::fuzz::resolve(data));
