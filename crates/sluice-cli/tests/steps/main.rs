//! Steps of workflows and surveys of components in real processes, driven through the runtime alone: what code can do, and
//! what comes back.

mod analysis;
mod apps;
mod exports;
mod expressions;
mod flow;
mod forms;
mod limits;
mod modules;
mod overlapping;
mod packages;
mod respond;
mod sends;
mod static_shapes;
mod support;
mod survey;
