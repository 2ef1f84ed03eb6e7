//! An error with its causes, for one line of the log.

use std::{error::Error, fmt};

/// The text of the error and of each cause, from the outermost to the innermost.
pub(crate) struct CauseChain<'a>(pub(crate) &'a dyn Error);

impl fmt::Display for CauseChain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn causes_follow_their_effect() {
        let error = Outer(std::io::Error::other("inner"));
        assert_eq!(CauseChain(&error).to_string(), "outer: inner");
        assert_eq!(CauseChain(&error.0).to_string(), "inner");
    }
}
