//! What happened over time: charts, the overview, and lists that can be searched.

mod counts;
mod fixtures;
mod lists;
mod overview;
mod retention;
