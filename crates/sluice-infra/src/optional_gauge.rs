//! A gauge that has no sample while its value is unknown.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use prometheus_client::{
    encoding::{EncodeMetric, MetricEncoder},
    metrics::{MetricType, TypedMetric},
};

#[derive(Debug, Clone, Default)]
pub struct OptionalGauge(Arc<Mutex<Option<f64>>>);

impl OptionalGauge {
    pub fn set(&self, value: Option<f64>) {
        *self.0.lock() = value;
    }
}

impl TypedMetric for OptionalGauge {
    const TYPE: MetricType = MetricType::Gauge;
}

impl EncodeMetric for OptionalGauge {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        let value = *self.0.lock();
        value.map_or(Ok(()), |value| encoder.encode_gauge(&value))
    }

    fn metric_type(&self) -> MetricType {
        Self::TYPE
    }
}
