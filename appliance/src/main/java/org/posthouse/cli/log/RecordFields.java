package org.posthouse.cli.log;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.core.Job;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.wire.Wire;

/** A log record as names and values, for people and for programs alike. Stateless. */
final class RecordFields {
    private RecordFields() {}

    /** The fields of every record. */
    static Map<String, Object> head(LogEntry entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("position", entry.position());
        fields.put("epoch", entry.epoch());
        fields.put("job", entry.record().job() == LogRecord.NO_JOB ? "" : Job.hexId(entry.record().job()));
        fields.put("rank", entry.record().rank());
        fields.put("type", entry.record().type().name());
        return fields;
    }

    /** The fields of this type of record. */
    static Map<String, Object> body(LogEntry entry) {
        Map<String, Object> to = new LinkedHashMap<>();
        switch (entry.record()) {
            case LogRecord.Arrival arrival -> arrival(to, arrival);
            case LogRecord.Chunk chunk -> {
                to.put("arrival", chunk.arrivalPosition());
                to.put("offset", chunk.offset());
            }
            case LogRecord.Delivery delivery -> {
                message(to, delivery.context(), delivery.source(), delivery.sequence());
                to.put("arrival", delivery.arrivalPosition());
                receipt(to, delivery.receipt());
            }
            case LogRecord.Polls polls -> {
                to.put("incarnation", polls.incarnation());
                to.put("failed", polls.cumulative());
            }
            case LogRecord.JobOpened opened -> {
                to.put("ranks", opened.size());
                to.put("durability", opened.durability());
                to.put("name", JobNames.name(entry.payload()));
            }
            case LogRecord.JobClosed closed -> to.put("status", closed.status());
            case LogRecord.WriterStarted started -> {
                to.put("time", Instant.ofEpochMilli(started.wallTimeMs()).toString());
                to.put("pid", started.pid());
                to.put("boot", started.boot().toString());
                to.put("relayEpoch", started.relayEpoch());
            }
            case LogRecord.Events events -> {
                to.put("incarnation", events.incarnation());
                to.put("first", events.first());
                to.put("count", events.count());
                to.put("limited", events.limited());
            }
            case LogRecord.Incarnation incarnation -> {
                to.put("incarnation", incarnation.incarnation());
                to.put("start", incarnation.start());
                to.put("image", incarnation.image());
            }
            case LogRecord.Withdrawn withdrawn -> {
                message(to, withdrawn.context(), withdrawn.source(), withdrawn.sequence());
                to.put("arrival", withdrawn.arrivalPosition());
            }
            case LogRecord.Finalized finalized -> {
                to.put("incarnation", finalized.incarnation());
                to.put("done", finalized.done());
            }
            case LogRecord.CheckpointTaken taken -> checkpoint(to, taken.checkpoint());
            case LogRecord.Diverged diverged -> {
                to.put("messages", diverged.count());
                to.put("first", StandardCharsets.UTF_8.decode(entry.payload().duplicate()).toString());
            }
            case LogRecord.Failed failed -> to.put("what", failed.rank() < 0 ? "a communicator is revoked" : "the rank is dead");
            case LogRecord.Agreed agreed -> {
                // Its frame is the payload.
            }
            case LogRecord.Snapshot snapshot -> {
                to.put("piece", snapshot.piece());
                to.put("pieces", snapshot.pieces());
            }
        }
        to.put("payloadBytes", entry.payload().remaining());
        return to;
    }

    private static void arrival(Map<String, Object> to, LogRecord.Arrival arrival) {
        message(to, arrival.context(), arrival.source(), arrival.sequence());
        to.put("tag", arrival.tag() == Wire.SENT_WITH_ANY_TAG ? Wire.tag(arrival.tag()) : (Object) arrival.tag());
        to.put("bytes", arrival.length());
        to.put("elements", arrival.elements());
        to.put("datatype", arrival.datatype());
        to.put("form", arrival.form().name());
        to.put("storable", arrival.storable());
        if (arrival.receipt() != null) {
            receipt(to, arrival.receipt());
        }
    }

    private static void message(Map<String, Object> to, int context, int source, long sequence) {
        to.put("context", context);
        to.put("source", source);
        to.put("sequence", sequence);
    }

    private static void receipt(Map<String, Object> to, Receipt receipt) {
        to.put("delivery", receipt.number());
        to.put("receive", receipt.ordinal());
        to.put("incarnation", receipt.incarnation());
    }

    private static void checkpoint(Map<String, Object> to, Checkpoint checkpoint) {
        to.put("number", checkpoint.number());
        to.put("ready", checkpoint.ready());
        to.put("bytes", checkpoint.bytes());
        to.put("pin", checkpoint.pin());
        to.put("deliveries", checkpoint.deliveries());
        to.put("events", checkpoint.events());
        to.put("failed", checkpoint.polls());
        to.put("out", checkpoint.out());
        to.put("err", checkpoint.err());
    }

    /** One line for people, without what is not so, and without what every record has. */
    static String line(LogEntry entry) {
        Map<String, Object> fields = body(entry);
        fields.remove("payloadBytes", 0);
        return fields.entrySet().stream()
                .filter(field -> !Boolean.FALSE.equals(field.getValue()))
                .map(field -> Boolean.TRUE.equals(field.getValue()) ? field.getKey() : field.getKey() + " " + OneLine.of(field.getValue().toString()))
                .collect(Collectors.joining(", "));
    }
}
