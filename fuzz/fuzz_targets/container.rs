//! See `reschema_tests::fuzz::container`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| reschema_tests::fuzz::container(data));
