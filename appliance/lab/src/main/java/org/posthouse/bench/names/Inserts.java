package org.posthouse.bench.names;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * Inserts entries one after the other, and reads them. An insert is a bind of the entry and a swap of one state object that points to it, as a compound change
 * has; with locks a bind of a lock's name comes before and its unbind behind. Confined to one thread.
 */
final class Inserts {
    private static final int ANSWER_S_MAX = 120;
    private static final Name STATE = Name.parse("bench/state");
    private static final Name LOCK = Name.parse("bench/lock");

    private final NameService names;
    private BoundName state;
    private int inserted;

    private Inserts(NameService names, BoundName state) {
        this.names = names;
        this.state = state;
    }

    static Inserts open(NameService names) throws IOException, InterruptedException {
        return new Inserts(names, answer(names.bind(STATE, NameRecord.of(Map.of("newest", "")))));
    }

    /** @return how long it took, in seconds */
    double insert(int entries, int payload, boolean isLocked) throws IOException, InterruptedException {
        NameRecord record = record(payload);
        long start = System.nanoTime();
        for (int each = 0; each < entries; each++) {
            Optional<BoundName> lock = isLocked ? Optional.of(answer(names.bind(LOCK, NameRecord.of(Map.of("owner", "bench"))))) : Optional.empty();
            Name name = name(inserted++);
            answer(names.bind(name, record));
            state = answer(names.swap(STATE, state.version(), NameRecord.of(Map.of("newest", name.toString()))));
            if (lock.isPresent()) {
                answer(names.unbind(LOCK, lock.get().version()));
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }

    /** Reads the newest entries. @return how long it took, in seconds @throws IOException if one is not as it was written */
    double read(int entries, int payload) throws IOException, InterruptedException {
        NameRecord expected = record(payload);
        long start = System.nanoTime();
        for (int each = inserted - entries; each < inserted; each++) {
            Name name = name(each);
            Optional<BoundName> found = answer(names.lookup(name));
            if (found.isEmpty() || !found.get().record().equals(expected)) {
                throw new IOException(name + " is not as it was inserted, with " + payload + " bytes: " + found);
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }

    private static NameRecord record(int payload) {
        return NameRecord.of(Map.of("value", "x".repeat(payload)));
    }

    private static Name name(int number) {
        return Name.parse("bench/entry/" + number);
    }

    static <T> T answer(CompletionStage<T> stage) throws IOException, InterruptedException {
        try {
            return stage.toCompletableFuture().get(ANSWER_S_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException("the names cannot be measured: " + e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("the names have not answered within " + ANSWER_S_MAX + " s", e);
        }
    }
}
