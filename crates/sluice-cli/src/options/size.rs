//! Sizes in bytes.

use bytesize::ByteSize;

pub(super) fn bytes(size: ByteSize) -> usize {
    usize::try_from(size.as_u64()).unwrap_or(usize::MAX)
}
