//! Logs on stderr: stdout belongs to the protocol.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging what `filter` lets through: lines for people on a terminal, JSON lines otherwise.
/// A filter that can't be read lets warnings through and says so.
pub fn start(filter: &str) {
    let (filter, fault) = match EnvFilter::try_new(filter) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new("warn"), Some(error)),
    };
    let registry = tracing_subscriber::registry().with(filter);
    #[cfg(feature = "otel")]
    let registry = registry.with(otel::layer());
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_span_events(FmtSpan::NONE);
    let started = if std::io::stderr().is_terminal() {
        registry.with(lines.compact()).try_init()
    } else {
        registry.with(lines.json().flatten_event(true).with_current_span(false)).try_init()
    };
    if started.is_err() {
        return;
    }
    if let Some(error) = fault {
        tracing::warn!(%error, "the log filter can't be read; logging warnings");
    }
}

/// Sends what is still to be sent. Called once, before exit.
pub fn finish() {
    #[cfg(feature = "otel")]
    otel::finish();
}

#[cfg(feature = "otel")]
mod otel {
    use std::sync::OnceLock;

    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::trace::{SdkTracerProvider, Tracer};
    use tracing::Subscriber;
    use tracing_opentelemetry::OpenTelemetryLayer;
    use tracing_subscriber::registry::LookupSpan;

    static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

    pub(super) fn finish() {
        if let Some(provider) = PROVIDER.get() {
            let _ = provider.shutdown();
        }
    }

    /// Traces over OTLP, to where the `OTEL_EXPORTER_OTLP_*` variables say; none where they say
    /// nothing that works.
    pub(super) fn layer<S>() -> Option<OpenTelemetryLayer<S, Tracer>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let exporter = opentelemetry_otlp::SpanExporter::builder().with_http().build().ok()?;
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).build();
        let tracer = provider.tracer("proofstone");
        PROVIDER.set(provider).ok()?;
        Some(tracing_opentelemetry::layer().with_tracer(tracer))
    }
}
