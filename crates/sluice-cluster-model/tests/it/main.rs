//! Complete explorations of the model.

mod design;
mod ending;
mod rules;
