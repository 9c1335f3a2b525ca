package mpi;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;

/**
 * Questions to the relays' name service whose answers are recorded: a process that is started in this one's place is told the same, and does not ask.
 */
final class RecordedNames {
    /** Milliseconds between tries while the relay has no names, and how often it is tried. */
    private static final long AGAIN_MS = 500;

    private static final int TRIES_MAX = 40;

    private static final String END = "\n";

    private final String call;
    private final int errorClass;
    private final Endpoint endpoint;

    /** @param errorClass of the error if the calling thread is interrupted */
    RecordedNames(String call, int errorClass, Endpoint endpoint) {
        this.call = call;
        this.errorClass = errorClass;
        this.endpoint = endpoint;
    }

    /** Asks once. */
    Answer once(NameAsk question) {
        return Answer.parse(RecordedText.of(endpoint, () -> Answer.of(endpoint.names(question)).recorded()));
    }

    /** Asks until the relay has names, as its group may still be joining; UNAVAILABLE if it has had none for 20 s. */
    Answer ask(NameAsk question) {
        Answer answer = once(question);
        for (int tries = 1; answer.status == NameAnswer.Status.UNAVAILABLE && tries < TRIES_MAX; tries++) {
            pause(AGAIN_MS);
            answer = once(question);
        }
        return answer;
    }

    /** Waits, unless it has waited before: what comes of it is known then. */
    void pause(long ms) {
        if (endpoint.isReplaying()) {
            return;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MPIException(errorClass, call + ": interrupted");
        }
    }

    /**
     * What was answered, as a text that can be recorded.
     *
     * @param version of the record that was found; else 0
     */
    record Answer(NameAnswer.Status status, String text, Optional<Map<String, String>> found, long version) {
        private static Answer of(NameAnswer answer) {
            Optional<NamedRecord> first = answer.found().stream().findFirst();
            return new Answer(
                    answer.status(), answer.text().replace(END, " "), first.map(NamedRecord::fields), first.map(NamedRecord::version).orElse(0L));
        }

        private String recorded() {
            StringBuilder out = new StringBuilder(status + END + text + END + version);
            found.ifPresent(fields -> fields.forEach((key, value) -> out.append(END).append(encode(key)).append('=').append(encode(value))));
            return out.toString();
        }

        private static Answer parse(String recorded) {
            String[] lines = recorded.split(END, -1);
            Map<String, String> fields = new TreeMap<>();
            for (int i = 3; i < lines.length; i++) {
                int equals = lines[i].indexOf('=');
                fields.put(decode(lines[i].substring(0, equals)), decode(lines[i].substring(equals + 1)));
            }
            long version = Long.parseLong(lines[2]);
            return new Answer(NameAnswer.Status.valueOf(lines[0]), lines[1], version > 0 ? Optional.of(fields) : Optional.empty(), version);
        }
    }

    /** A text without what separates texts. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
