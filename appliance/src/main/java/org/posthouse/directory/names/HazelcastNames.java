package org.posthouse.directory.names;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IndeterminateOperationStateException;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicates;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.causes.Causes;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of a group of relays ({@code --names hazelcast}), in a map of the directory's member. Thread-safe; no call blocks.
 *
 * <p>A change succeeds when the owner of the name and all of its backups have it, and fails with UNAVAILABLE otherwise, as with a part of the group that has
 * no majority ({@link NamesMajority}). Nothing is then known of the change.
 */
public final class HazelcastNames implements NameService {
    private static final Logger LOG = LoggerFactory.getLogger(HazelcastNames.class);

    /** Milliseconds; Hazelcast's own limit of a call is 10 s. */
    private static final long ANSWER_MS_MAX = 12_000;

    /** Milliseconds in which a change is tried again; the last try has the rest of the time. */
    private static final long TRIES_MS = 10_000;

    /** Listings at a time: each has the records of at most one page. */
    private static final int QUERIES_MAX = 16;

    /** Records read at once: at their largest, of control characters that JSON writes as six, 39 MB, below what a packet of the group may have. */
    private static final int READ_AT_ONCE = 100;

    /** Milliseconds until a change is tried again that found too few copies. */
    private static final long COPIES_MS = 100;

    /** A minority of three relays is one of them. */
    private static final int RELAYS_WITH_MINORITY_OF_ONE = 3;

    private static final long SWEEP_SECONDS = 30;

    private static final long REMEMBERED_SECONDS = 3_600;

    /** The same while the map is half full. */
    private static final long REMEMBERED_SECONDS_CROWDED = 60;

    private final HazelcastInstance member;
    private final String relay;
    private final IMap<String, String> map;
    private final NamesMajority majority;
    private final NameListeners listeners;
    private final UnboundNames unbound;
    private final NamesRoom room;
    private final long triesMs;
    private final Semaphore queries = new Semaphore(QUERIES_MAX);
    private final ExecutorService threads;

    /** Written by the closing thread, read by all. */
    private volatile boolean closed;

    /** @param relay the id of this relay, for messages */
    public HazelcastNames(HazelcastInstance member, String relay, NamesMajority majority) {
        this(member, relay, majority, TRIES_MS);
    }

    /** @param triesMs milliseconds in which a change is tried again */
    HazelcastNames(HazelcastInstance member, String relay, NamesMajority majority, long triesMs) {
        this.triesMs = triesMs;
        this.member = member;
        this.relay = relay;
        this.majority = majority;
        this.map = member.getMap(NamesMap.NAME);
        this.threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("posthouse-names-" + relay + "-", 0).factory());
        this.listeners = new NameListeners(member, relay, threads, this::refresh);
        this.unbound = new UnboundNames(map, majority);
        this.room = new NamesRoom(map, threads);
        sweepLater();
    }

    /** For tests. */
    NamesRoom room() {
        return room;
    }

    private void sweepLater() {
        CompletableFuture.delayedExecutor(SWEEP_SECONDS, TimeUnit.SECONDS, threads).execute(this::sweep);
    }

    private void sweep() {
        try {
            if (!closed && majority.lacking().isEmpty()) {
                room.count();
                unbound.sweep(System.nanoTime(), room.isCrowded() ? REMEMBERED_SECONDS_CROWDED : REMEMBERED_SECONDS);
            }
        } catch (RuntimeException e) {
            LOG.info("names: unbound names were not swept, tried again in {} s: {}", SWEEP_SECONDS, Causes.text(e).split("\\. |\\R", 2)[0]);
        } finally {
            if (!closed) {
                sweepLater();
            }
        }
    }

    @Override
    public CompletionStage<BoundName> bind(Name name, NameRecord record) {
        return write(NameChangeProcessor.Kind.BIND, name, 0, record);
    }

    @Override
    public CompletionStage<BoundName> rebind(Name name, NameRecord record) {
        return write(NameChangeProcessor.Kind.REBIND, name, 0, record);
    }

    @Override
    public CompletionStage<BoundName> swap(Name name, long expected, NameRecord record) {
        return write(NameChangeProcessor.Kind.SWAP, name, expected, record);
    }

    private CompletionStage<BoundName> write(NameChangeProcessor.Kind kind, Name name, long expected, NameRecord record) {
        boolean mayBeNew = kind == NameChangeProcessor.Kind.BIND || kind == NameChangeProcessor.Kind.SWAP && expected == 0;
        int size = NameKeys.prefix(name).length() + StoredName.of(record, 1, 0, "").text().length();
        return within(room.admit(size, mayBeNew).thenCompose(admitted -> submit(kind, name, expected, record))).thenApply(answer -> {
            Optional<BoundName> found = found(name, answer);
            return switch (answer.charAt(0)) {
                case NameChangeProcessor.DONE -> found.orElseThrow();
                case NameChangeProcessor.LATER_EPOCH -> throw NameException.laterEpoch(found.orElseThrow(), record.epoch());
                default -> throw switch (kind) {
                    case BIND -> NameException.alreadyBound(found.orElseThrow());
                    case REBIND -> NameException.notBound(name);
                    default -> NameException.conflict(name, expected, found.orElse(null));
                };
            };
        });
    }

    @Override
    public CompletionStage<Boolean> unbind(Name name, long expected) {
        return submit(NameChangeProcessor.Kind.UNBIND, name, expected, NameRecord.of(Map.of())).thenApply(answer -> {
            if (answer.charAt(0) == NameChangeProcessor.OTHER) {
                throw NameException.conflict(name, expected, found(name, answer).orElse(null));
            }
            return answer.length() > 1;
        });
    }

    private static Optional<BoundName> found(Name name, String answer) {
        return answer.length() == 1 ? Optional.empty() : Optional.of(StoredName.parse(answer.substring(1)).at(name));
    }

    private CompletionStage<String> submit(NameChangeProcessor.Kind kind, Name name, long expected, NameRecord record) {
        StoredName wanted = StoredName.of(record, 1, 0, UUID.randomUUID().toString());
        NameChangeProcessor change = new NameChangeProcessor(majority, kind, expected, wanted);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(triesMs);
        return within(attempt(name, change, endNanos).thenCompose(answer -> confirmed(name, change, answer)));
    }

    private CompletableFuture<String> send(Name name, NameChangeProcessor change) {
        return ask(() -> map.submitToKey(NameKeys.key(name), change));
    }

    /**
     * Between the owner's look at its members and its message to the copies, members may be removed, whose copies are then not waited for. In a part of one the
     * look at the members that follows each answer shows it. In a larger part the owner may be another, which is asked again.
     */
    private CompletableFuture<String> confirmed(Name name, NameChangeProcessor change, String answer) {
        if (answer.charAt(0) != NameChangeProcessor.DONE) {
            return CompletableFuture.completedFuture(answer);
        }
        String key = NameKeys.key(name);
        if (isOwner(key)) {
            return CompletableFuture
                    .completedFuture(majority.lackingCopies(key).map(lacking -> ofMajority(NameChangeProcessor.NO_COPIES + lacking)).orElse(answer));
        }
        boolean shown = majority.relays() <= RELAYS_WITH_MINORITY_OF_ONE;
        return shown ? CompletableFuture.completedFuture(answer) : send(name, change.repetition()).thenApply(this::ofMajority).thenApply(now -> {
            if (!isDoneBefore(answer, now)) {
                throw superseded();
            }
            return answer;
        });
    }

    /**
     * Whether a change had its answer before the one that is stored now. With the same member list there was one owner, which has put one on the other.
     *
     * @param answer to the change
     * @param now to its repetition
     */
    static boolean isDoneBefore(String answer, String now) {
        if (now.charAt(0) == NameChangeProcessor.DONE || answer.length() == 1) {
            return true; // It is there still, or there was nothing to do.
        }
        if (now.length() == 1) {
            return false;
        }
        StoredName done = StoredName.parse(answer.substring(1));
        StoredName later = StoredName.parse(now.substring(1));
        boolean after = later.version() > done.version() || later.version() == done.version() && !later.bound();
        return later.equals(done) || after && later.term() == done.term();
    }

    private NameException superseded() {
        return new NameException(
                NameException.Kind.UNAVAILABLE,
                "names at relay " + relay
                        + ": another change of this name came before the group confirmed this one, which may have been done; look, and try again");
    }

    private boolean isOwner(String key) {
        Member owner = member.getPartitionService().getPartition(key).getOwner();
        return owner != null && owner.localMember();
    }

    /**
     * Tries again what not all copies have confirmed, as when a member has died: the same change, which is done once. If something else is stored by then,
     * nobody can say whether the change was there in between, and it is not applied.
     */
    private CompletableFuture<String> attempt(Name name, NameChangeProcessor change, long endNanos) {
        return send(name, change).thenCompose(answer -> {
            boolean later = answer.charAt(0) == NameChangeProcessor.NO_COPIES && System.nanoTime() < endNanos;
            return later ? CompletableFuture.supplyAsync(() -> change, afterPause()).thenCompose(same -> attempt(name, same, endNanos))
                    : CompletableFuture.completedFuture(answered(change, answer));
        }).exceptionallyCompose(fault -> {
            NameException first = unavailable(fault);
            boolean again = first.getCause() instanceof IndeterminateOperationStateException && System.nanoTime() < endNanos;
            return !again ? CompletableFuture.failedFuture(first) : attempt(name, change.repetition(), endNanos).thenApply(answer -> {
                if (answer.charAt(0) == NameChangeProcessor.SUPERSEDED) {
                    throw first;
                }
                return answer;
            });
        });
    }

    private Executor afterPause() {
        return CompletableFuture.delayedExecutor(COPIES_MS, TimeUnit.MILLISECONDS, threads);
    }

    /** Without copies nothing was changed, but perhaps by an earlier try. That is of this name alone: others have other owners. */
    private String answered(NameChangeProcessor change, String answer) {
        if (answer.charAt(0) == NameChangeProcessor.NO_COPIES && !change.isRepetition()) {
            throw NameException.busy("names at relay " + relay + ": " + answer.substring(1) + "; copies are made, try again");
        }
        return ofMajority(answer);
    }

    private String ofMajority(String answer) {
        return switch (answer.charAt(0)) {
            case NameChangeProcessor.NO_MAJORITY -> throw withoutMajority(answer.substring(1));
            case NameChangeProcessor.NO_COPIES -> throw new NameException(
                    NameException.Kind.UNAVAILABLE, "names at relay " + relay + ": " + answer.substring(1) + "; copies are made, try again");
            default -> answer;
        };
    }

    @Override
    public CompletionStage<Optional<BoundName>> lookup(Name name) {
        return within(ask(() -> map.getAsync(NameKeys.key(name)))).thenApply(text -> bound(name, text));
    }

    private static Optional<BoundName> bound(Name name, String text) {
        return stored(name, text).filter(StoredName::bound).map(each -> each.at(name));
    }

    /** What no relay has written counts as nothing. */
    private static Optional<StoredName> stored(Name name, String text) {
        try {
            return Optional.ofNullable(text).map(StoredName::parse);
        } catch (IllegalArgumentException e) {
            LOG.error("names: what is stored at {} is skipped", name, e);
            return Optional.empty();
        }
    }

    /** Completes on a thread of its own: what goes on with the answer may take its time. */
    private <T> CompletableFuture<T> ask(Supplier<CompletionStage<T>> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            checkMajority();
            call.get().whenCompleteAsync((value, fault) -> {
                Optional<String> lacking = fault == null ? majority.lacking() : Optional.empty();
                if (fault != null || lacking.isPresent()) {
                    answer.completeExceptionally(lacking.map(this::withoutMajority).orElseGet(() -> unavailable(fault)));
                } else {
                    answer.complete(value);
                }
            }, threads);
        } catch (NameException e) {
            answer.completeExceptionally(e);
        } catch (RuntimeException e) {
            answer.completeExceptionally(unavailable(e));
        }
        return answer;
    }

    private <T> CompletableFuture<T> within(CompletableFuture<T> answer) {
        return answer.orTimeout(ANSWER_MS_MAX, TimeUnit.MILLISECONDS).exceptionallyCompose(fault -> CompletableFuture.failedFuture(unavailable(fault)));
    }

    /** Before a call, too: what is read while a part comes may be older than what that has, and be answered when it has come. */
    private void checkMajority() {
        checkOpen();
        majority.lacking().ifPresent(lacking -> {
            throw withoutMajority(lacking);
        });
    }

    private void checkOpen() {
        if (closed) {
            throw new NameException(NameException.Kind.UNAVAILABLE, "names at relay " + relay + ": it has left its group; ask another relay");
        }
    }

    private NameException unavailable(Throwable fault) {
        Throwable cause = fault instanceof CompletionException && fault.getCause() != null ? fault.getCause() : fault;
        if (cause instanceof NameException known) {
            return known;
        }
        Optional<String> lacking = majority.lacking();
        if (lacking.isPresent()) {
            return withoutMajority(lacking.get());
        }
        String why = cause instanceof TimeoutException ? "no answer in " + ANSWER_MS_MAX + " ms" : Causes.text(cause).split("\\. |\\R", 2)[0];
        return new NameException(
                NameException.Kind.UNAVAILABLE,
                "names at relay " + relay + ": the group has not confirmed it, nothing is known of a change; look, and try again: " + why, cause);
    }

    private NameException withoutMajority(String lacking) {
        return new NameException(
                NameException.Kind.UNAVAILABLE,
                "names at relay " + relay + ": this part of the group has no majority: " + lacking
                        + "; try again when the links are back, or start this relay again without those that are gone for good");
    }

    @Override
    public CompletionStage<List<BoundName>> list(Name prefix, int limit, Optional<Name> after) {
        if (limit < 1 || limit > LIST_MAX) {
            throw new IllegalArgumentException("limit " + limit + ", expected 1 to " + LIST_MAX);
        }
        return query(() -> page(NameKeys.prefix(prefix), limit, after.map(NameKeys::prefix).orElse("")));
    }

    private <T> CompletableFuture<T> query(Callable<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            checkOpen();
        } catch (NameException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (!queries.tryAcquire()) {
            return CompletableFuture.failedFuture(NameException.busy(
                    "names at relay " + relay + ": " + QUERIES_MAX + " listings are under way, the most at a time; try again"));
        }
        threads.execute(() -> {
            try {
                answer.complete(work.call());
            } catch (Exception e) {
                answer.completeExceptionally(unavailable(e));
            } finally {
                queries.release();
            }
        });
        return within(answer);
    }

    private List<BoundName> page(String prefix, int limit, String after) {
        checkMajority();
        List<BoundName> found = new ArrayList<>();
        String last = after;
        while (found.size() < limit) {
            int wanted = limit - found.size();
            Set<String> selected = map.keySet(Predicates.pagingPredicate(new NamePrefixPredicate(prefix, last), new NameKeyComparator(), wanted));
            List<String> keys = List.copyOf(new TreeSet<>(selected));
            for (int from = 0; from < keys.size(); from += READ_AT_ONCE) {
                read(keys.subList(from, Math.min(from + READ_AT_ONCE, keys.size())), found);
            }
            if (keys.size() < wanted) {
                break;
            }
            last = keys.getLast();
        }
        checkMajority();
        return found;
    }

    private void read(List<String> keys, List<BoundName> found) {
        Map<String, String> texts = new TreeMap<>(map.getAll(Set.copyOf(keys)));
        texts.forEach((key, text) -> name(key).flatMap(name -> bound(name, text)).ifPresent(found::add));
    }

    private static Optional<Name> name(String key) {
        try {
            return Optional.of(NameKeys.name(key));
        } catch (NameException e) {
            LOG.error("names: a record is skipped: {}", e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public Subscription listen(Name prefix, Consumer<NameChange> listener) {
        return listeners.add(prefix, listener);
    }

    /** Tells listeners of a prefix what is there, and what of all that they know is there no more. Blocks. */
    private void refresh(Name prefix) {
        checkOpen();
        Set<Name> bound = new HashSet<>();
        String after = "";
        List<BoundName> page;
        do {
            page = page(NameKeys.prefix(prefix), LIST_MAX, after);
            page.forEach(each -> listeners.tell(new NameChange(each, true)));
            page.forEach(each -> bound.add(each.name()));
            after = page.isEmpty() ? "" : NameKeys.key(page.getLast().name());
        } while (page.size() == LIST_MAX);
        Map<Name, Long> missing = new HashMap<>(listeners.present(prefix));
        missing.keySet().removeAll(bound);
        missing.forEach(this::tellMissing);
    }

    private void tellMissing(Name name, long version) {
        Optional<StoredName> now = stored(name, map.get(NameKeys.key(name)));
        // Without even a trace of it: it was unbound long ago.
        listeners.tell(now.map(each -> new NameChange(each.at(name), each.bound()))
                .orElseGet(() -> new NameChange(new BoundName(name, NameRecord.of(Map.of()), version), false)));
    }

    /** Ends listeners and refuses later calls. The member is not closed. */
    @Override
    public void close() {
        closed = true;
        listeners.close();
        threads.shutdown();
    }
}
