package org.posthouse.relay.names;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/**
 * The records {@code job/ID/state}, which the elected relay keeps: at which relays the ranks of an open job are at home, and how they are. Each is written with
 * the count of the election, so that a leader that has lost replaces none. For one thread at a time.
 *
 * <p>What is bound is read once an election; after that each change goes on from the one before. If somebody else has made one, all is read again.
 */
final class JobStateRecords {
    /** Records that are written or removed at one look, which is every three seconds. */
    static final int CHANGES_MAX = 30;

    /** Open jobs that have a record: those with the smallest numbers, as a stable choice. */
    static final int JOBS_MAX = 1_024;

    static final String STATE = "state";

    private final NameService names;
    private final LongSupplier ownCount;
    private Map<String, BoundName> known = new TreeMap<>();
    private Set<String> missing = Set.of();

    /** The election in which {@link #known} was read; 0 if it is to be read again. */
    private long readIn;

    /** @param ownCount the election by which this relay leads now; 0 if it does not */
    JobStateRecords(NameService names, LongSupplier ownCount) {
        this.names = names;
        this.ownCount = ownCount;
    }

    static Name name(String job) {
        return NameCaller.JOBS.child(job).child(STATE);
    }

    /**
     * Changes what differs, up to {@link #CHANGES_MAX} records.
     *
     * @param wanted fields by jobs
     * @param epoch the count of the election that the caller has won
     * @return fails if a record could not be written: the next call reads all again
     */
    CompletionStage<Void> keep(Map<String, Map<String, String>> wanted, long epoch) {
        CompletionStage<Void> read = readIn == epoch ? CompletableFuture.completedFuture(null) : read(Optional.empty(), new TreeMap<>(), epoch);
        return read.thenCompose(all -> change(limited(wanted), epoch)).whenComplete((done, fault) -> {
            if (fault != null) {
                readIn = 0;
            }
        });
    }

    private static Map<String, Map<String, String>> limited(Map<String, Map<String, String>> wanted) {
        Map<String, Map<String, String>> first = new TreeMap<>();
        new TreeMap<>(wanted).entrySet().stream().limit(JOBS_MAX).forEach(each -> first.put(each.getKey(), each.getValue()));
        return first;
    }

    private CompletionStage<Void> read(Optional<Name> after, Map<String, BoundName> found, long epoch) {
        return names.list(NameCaller.JOBS, NameService.LIST_MAX, after).thenCompose(page -> {
            for (BoundName bound : page) {
                List<String> parts = bound.name().parts();
                if (parts.size() == 3 && parts.get(2).equals(STATE)) {
                    found.put(parts.get(1), bound);
                }
            }
            if (page.size() == NameService.LIST_MAX) {
                return read(Optional.of(page.getLast().name()), found, epoch);
            }
            known = found;
            readIn = epoch;
            return CompletableFuture.completedFuture(null);
        });
    }

    private CompletionStage<Void> change(Map<String, Map<String, String>> wanted, long epoch) {
        List<CompletableFuture<?>> changes = new ArrayList<>();
        wanted.forEach((job, fields) -> {
            BoundName bound = known.get(job);
            // A new leader writes what is the same, too: from then on an earlier one replaces nothing.
            boolean isSame = bound != null && bound.record().epoch() >= epoch && bound.record().fields().equals(fields);
            if (!isSame && changes.size() < CHANGES_MAX) {
                changes.add(write(job, bound == null ? 0 : bound.version(), NameRecord.of(fields, epoch)));
            }
        });
        Set<String> over = new HashSet<>(known.keySet());
        over.removeAll(wanted.keySet());
        for (String job : over) {
            // It must have been over at the last look, too: a job may just be opened, or this relay's directory be new.
            if (missing.contains(job) && changes.size() < CHANGES_MAX && ownCount.getAsLong() == epoch) {
                changes.add(remove(job));
            }
        }
        missing = over;
        return CompletableFuture.allOf(changes.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<?> write(String job, long version, NameRecord record) {
        return names.swap(name(job), version, record).thenAccept(bound -> known.put(job, bound)).toCompletableFuture();
    }

    private CompletableFuture<?> remove(String job) {
        return names.unbind(name(job), known.get(job).version()).thenAccept(gone -> known.remove(job)).toCompletableFuture();
    }
}
