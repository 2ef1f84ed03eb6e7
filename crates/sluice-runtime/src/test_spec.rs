//! Files of tests and how they end.

/// Tests in one module.
pub struct TestSpec<'a> {
    /// The name of the first file.
    pub name: &'a str,
    /// JavaScript. A source map in it names files `sluice:///<path>`.
    pub code: &'a str,
    pub report: TestReport,
}

/// The output format of the test runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestReport {
    Plain,
    Coloured,
    /// The Test Anything Protocol.
    Tap,
}

impl TestReport {
    pub(crate) fn reporter(self) -> &'static str {
        match self {
            TestReport::Plain | TestReport::Coloured => "pretty",
            TestReport::Tap => "tap",
        }
    }

    pub(crate) fn is_coloured(self) -> bool {
        self == TestReport::Coloured
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestEnd {
    Passed,
    Failed,
    /// The process was killed for this reason.
    Killed(String),
}
