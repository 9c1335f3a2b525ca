package mpi;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.posthouse.mpj.Endpoint;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;

/**
 * The records that accept and connect leave for each other in the relays' name service. A record goes when its job ends, so its
 * absence tells of that. What was answered is recorded, by {@link RecordedNames}.
 */
final class PortRecords {
    /** Milliseconds between two looks: at first, and at most. */
    private static final long LOOK_MS = 5;

    private static final long LOOK_MS_MAX = 250;

    private final String call;
    private final RecordedNames names;

    PortRecords(String call, Endpoint endpoint) {
        this.call = call;
        this.names = new RecordedNames(call, MPI.ERR_PORT, endpoint);
    }

    /** The record of a name; empty if it is not bound. */
    Optional<Map<String, String>> lookup(String name) {
        RecordedNames.Answer answer = names.ask(NameAsk.of(NameAsk.Operation.LOOKUP, name));
        if (answer.status() != NameAnswer.Status.DONE) {
            throw failed(name, answer);
        }
        return answer.found();
    }

    /** Binds a name. @return false if it is bound to another record */
    boolean bind(String name, SortedMap<String, String> fields) {
        RecordedNames.Answer answer = names.ask(bound(name, fields));
        if (answer.status() != NameAnswer.Status.DONE && answer.status() != NameAnswer.Status.ALREADY_BOUND) {
            throw failed(name, answer);
        }
        return answer.status() == NameAnswer.Status.DONE;
    }

    /** Unbinds a name of this job; one that is not bound stays so. */
    void unbind(String name) {
        unbind(name, record -> true);
    }

    /** Unbinds a name if its record is one such. It takes away what it has seen: a question that is asked again does not meet what was bound later. */
    void unbind(String name, Predicate<Map<String, String>> own) {
        RecordedNames.Answer seen = names.ask(NameAsk.of(NameAsk.Operation.LOOKUP, name));
        if (seen.status() != NameAnswer.Status.DONE) {
            throw failed(name, seen);
        }
        if (seen.found().filter(own).isEmpty()) {
            return;
        }
        RecordedNames.Answer answer = names.ask(new NameAsk(NameAsk.Operation.UNBIND, name, seen.version(), 0, 0, "", new TreeMap<>()));
        if (answer.status() != NameAnswer.Status.DONE && answer.status() != NameAnswer.Status.CONFLICT) {
            throw failed(name, answer);
        }
    }

    /** As {@link #lookup}, but asks once: nothing is found while the relay has no names. */
    Optional<Map<String, String>> tryLookup(String name) {
        RecordedNames.Answer answer = names.once(NameAsk.of(NameAsk.Operation.LOOKUP, name));
        return answer.status() == NameAnswer.Status.DONE ? answer.found() : Optional.empty();
    }

    /** As {@link #bind}, but asks once: nothing is bound while the relay has no names. */
    void tryBind(String name, SortedMap<String, String> fields) {
        names.once(bound(name, fields));
    }

    private static NameAsk bound(String name, SortedMap<String, String> fields) {
        return new NameAsk(NameAsk.Operation.BIND, name, 0, 0, 0, "", fields);
    }

    /** Looks again and again until there is something. */
    <T> T await(Supplier<Optional<T>> look) {
        for (long ms = LOOK_MS;; ms = Math.min(2 * ms, LOOK_MS_MAX)) {
            Optional<T> found = look.get();
            if (found.isPresent()) {
                return found.get();
            }
            names.pause(ms);
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
                names.pause(LOOK_MS);
            }
            Optional<T> found = look.get();
            if (found.isPresent()) {
                return found;
            }
        }
    }

    private MPIException failed(String name, RecordedNames.Answer answer) {
        return new MPIException(MPI.ERR_PORT, call + ": the relays' record " + name + ": " + answer.status() + " " + answer.text());
    }
}
