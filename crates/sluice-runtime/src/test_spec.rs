//! Files of tests and how they end.

use sluice_code::CodeTree;

/// Tests in one file, with the files that it imports.
pub struct TestSpec<'a> {
    /// The name of the first file, as the report shows it.
    pub name: &'a str,
    pub tree: &'a CodeTree,
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
