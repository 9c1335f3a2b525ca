package mpi;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamedRecord;

/**
 * The records that accept and connect leave for each other in the relays' name service. A record goes when its job ends, so its
 * absence tells of that. What was answered is recorded, as by {@link PublishedNames}.
 */
final class PortBoard {
    /** Milliseconds between two looks: at first, and at most. */
    private static final long LOOK_MS = 5;

    private static final long LOOK_MS_MAX = 250;

    /** Milliseconds between tries while the relay has no names, and how often it is tried. */
    private static final long AGAIN_MS = 500;

    private static final int TRIES_MAX = 40;

    private static final String END = "\n";

    private final String call;
    private final Endpoint endpoint;

    PortBoard(String call, Endpoint endpoint) {
        this.call = call;
        this.endpoint = endpoint;
    }

    /** The record of a name; empty if it is not bound. */
    Optional<Map<String, String>> lookup(String name) {
        Answer answer = ask(NameAsk.of(NameAsk.Operation.LOOKUP, name));
        if (answer.status != NameAnswer.Status.DONE) {
            throw failed(name, answer);
        }
        return answer.found;
    }

    /** Binds a name. @return false if it is bound to another record */
    boolean bind(String name, SortedMap<String, String> fields) {
        Answer answer = ask(bound(name, fields));
        if (answer.status != NameAnswer.Status.DONE && answer.status != NameAnswer.Status.ALREADY_BOUND) {
            throw failed(name, answer);
        }
        return answer.status == NameAnswer.Status.DONE;
    }

    /** Unbinds a name of this job; one that is not bound stays so. */
    void unbind(String name) {
        Answer answer = ask(new NameAsk(NameAsk.Operation.UNBIND, name, -1, 0, 0, "", new TreeMap<>()));
        if (answer.status != NameAnswer.Status.DONE) {
            throw failed(name, answer);
        }
    }

    /** As {@link #lookup}, but asks once: nothing is found while the relay has no names. */
    Optional<Map<String, String>> tryLookup(String name) {
        Answer answer = once(NameAsk.of(NameAsk.Operation.LOOKUP, name));
        return answer.status == NameAnswer.Status.DONE ? answer.found : Optional.empty();
    }

    /** As {@link #bind}, but asks once: nothing is bound while the relay has no names. */
    void tryBind(String name, SortedMap<String, String> fields) {
        once(bound(name, fields));
    }

    private static NameAsk bound(String name, SortedMap<String, String> fields) {
        return new NameAsk(NameAsk.Operation.BIND, name, 0, 0, 0, "", fields);
    }

    private Answer once(NameAsk question) {
        return Answer.parse(RecordedText.of(endpoint, () -> Answer.of(endpoint.names(question)).recorded()));
    }

    /** Looks again and again until there is something. */
    <T> T await(Supplier<Optional<T>> look) {
        for (long ms = LOOK_MS;; ms = Math.min(2 * ms, LOOK_MS_MAX)) {
            Optional<T> found = look.get();
            if (found.isPresent()) {
                return found.get();
            }
            pause(ms);
        }
    }

    /**
     * Looks again and again until there is something, or a message of this job has come. The messages are looked for more often: they are near.
     *
     * @return empty if a message has come
     */
    <T> Optional<T> awaitEither(BooleanSupplier message, Supplier<Optional<T>> look) {
        for (long ms = LOOK_MS;; ms = Math.min(2 * ms, LOOK_MS_MAX)) {
            for (long left = ms; left > 0; left -= LOOK_MS) {
                if (message.getAsBoolean()) {
                    return Optional.empty();
                }
                pause(LOOK_MS);
            }
            Optional<T> found = look.get();
            if (found.isPresent()) {
                return found;
            }
        }
    }

    private Answer ask(NameAsk question) {
        for (int tries = 1;; tries++) {
            Answer answer = once(question);
            if (answer.status != NameAnswer.Status.UNAVAILABLE) {
                return answer;
            }
            if (tries == TRIES_MAX) {
                throw failed(question.name(), answer);
            }
            pause(AGAIN_MS);
        }
    }

    private MPIException failed(String name, Answer answer) {
        return new MPIException(MPI.ERR_PORT, call + ": the relays' record " + name + ": " + answer.status + " " + answer.text);
    }

    private void pause(long ms) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MPIException(MPI.ERR_PORT, call + ": interrupted");
        }
    }

    /** What was answered, as a text that can be recorded. */
    private record Answer(NameAnswer.Status status, String text, Optional<Map<String, String>> found) {
        static Answer of(NameAnswer answer) {
            return new Answer(answer.status(), answer.text().replace(END, " "), answer.found().stream().findFirst().map(NamedRecord::fields));
        }

        String recorded() {
            StringBuilder out = new StringBuilder(status + END + text + END + found.isPresent());
            found.ifPresent(fields -> fields.forEach((key, value) -> out.append(END).append(encode(key)).append('=').append(encode(value))));
            return out.toString();
        }

        static Answer parse(String recorded) {
            String[] lines = recorded.split(END, -1);
            Map<String, String> fields = new TreeMap<>();
            for (int i = 3; i < lines.length; i++) {
                int equals = lines[i].indexOf('=');
                fields.put(decode(lines[i].substring(0, equals)), decode(lines[i].substring(equals + 1)));
            }
            return new Answer(NameAnswer.Status.valueOf(lines[0]), lines[1], Boolean.parseBoolean(lines[2]) ? Optional.of(fields) : Optional.empty());
        }
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
