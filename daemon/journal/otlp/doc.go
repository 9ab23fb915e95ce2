// Package otlp sends the record to an OpenTelemetry collector, as spans by OTLP over
// HTTP, if the usual environment variables name one. A team's gateways send requests
// instead ([Exporter.Begin]), in the traces of their clients. The variables are:
//
//   - OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, which is used as it is, or
//     OTEL_EXPORTER_OTLP_ENDPOINT, to which v1/traces is added;
//   - OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TIMEOUT (milliseconds;
//     10,000) and OTEL_EXPORTER_OTLP_PROTOCOL, of which http/protobuf alone is
//     spoken, each with TRACES_ before its last word too;
//   - OTEL_SDK_DISABLED and OTEL_TRACES_EXPORTER=none, which switch it off, and
//     all that the official SDK reads (OTEL_SERVICE_NAME, OTEL_BSP_…).
//
// Spans, batches and their encoding use the official library, except its HTTP client,
// which links gRPC: 6.5 MB of program and 9 MB of memory for one POST. A failed batch is
// not sent again; the record has it.
package otlp
