package org.posthouse.relay.names;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.posthouse.audit.Audit;
import org.posthouse.causes.Causes;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.Leader;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameHistory;
import org.posthouse.names.NameService;
import org.posthouse.status.NamesStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay's part in the name service: one front end for all its connections, and what jobs of this relay have published, which is taken back when they end.
 * Thread-safe.
 */
public final class RelayNames {
    private static final Logger LOG = LoggerFactory.getLogger(RelayNames.class);

    private static final long LEAVE_MS_MAX = 2_000;

    /** Names that the console shows at once. */
    private static final int SHOWN_MAX = 100;

    private final String relay;
    private final Alarm alarm;
    private final NameFrontEnd frontEnd;
    private final GridLeader leader;

    /** Jobs that have published something here, in hexadecimal digits. After a restart the elected relay finds what they leave. */
    private final Set<String> publishing = ConcurrentHashMap.newKeySet();

    /**
     * @param backEnd its owner closes it, after this
     * @param executor runs the front end, one task at a time
     * @param grid what the elected relay makes its records of
     * @param events told a kind and a text, for the console
     */
    public RelayNames(
            NameService backEnd, String relay, Alarm alarm, Executor executor, GridView grid, BiConsumer<String, String> events) {
        this.relay = relay;
        this.alarm = alarm;
        this.frontEnd = new NameFrontEnd(backEnd, relay, alarm, executor, down -> tell(down, events));
        this.leader = new GridLeader(relay, frontEnd, alarm, executor, grid, events);
    }

    private void tell(Optional<String> down, BiConsumer<String, String> events) {
        if (down.isPresent()) {
            LOG.warn("{}: names are not available: {}", relay, down.get());
            events.accept("NAMES_DOWN", down.get());
        } else {
            LOG.info("{}: names are available again", relay);
            events.accept("NAMES_UP", "names are available again");
        }
    }

    public NameFrontEnd frontEnd() {
        return frontEnd;
    }

    /** The elected relay of the grid. */
    public GridLeader leader() {
        return leader;
    }

    /** Begins to ask the back end whether it answers, and to take part in the election of the grid's leader. */
    public void start() {
        frontEnd.start();
        leader.start();
        // For the history that the console shows: the front end adds to it what its listeners are told.
        frontEnd.listen(NameCaller.GRID, change -> {});
        frontEnd.listen(NameCaller.PUBLISHED, change -> {});
    }

    /** The questions of one connection. @param output takes frames from any thread */
    public NameRequests requests(NameCaller caller, Consumer<ByteBuffer> output) {
        return new NameRequests(this, caller, output);
    }

    void changed(String what) {
        Audit.changed(relay, what);
    }

    /** Notes that a job has bound names here. @param job in hexadecimal digits */
    public void publishes(String job) {
        publishing.add(job);
    }

    /** Takes back what a job has published. @param job in hexadecimal digits */
    public void jobEnded(String job) {
        if (publishing.remove(job)) {
            unpublish(job, Optional.empty()).whenComplete((gone, fault) -> {
                if (fault != null) {
                    LOG.warn("{}: what job {} has published stays until the elected relay finds it: {}", relay, job, fault.getMessage());
                }
            });
        }
    }

    private CompletionStage<Void> unpublish(String job, Optional<Name> after) {
        return frontEnd.list(NameCaller.PUBLISHED, NameService.LIST_MAX, after).thenCompose(page -> {
            CompletableFuture<?>[] gone = page.stream().filter(bound -> bound.record().field(NameCaller.JOB).equals(job)).map(this::remove)
                    .toArray(CompletableFuture[]::new);
            return CompletableFuture.allOf(gone).thenCompose(all -> isLast(page)
                    ? CompletableFuture.<Void>completedFuture(null)
                    : unpublish(job, Optional.of(page.getLast().name())));
        });
    }

    private static boolean isLast(List<BoundName> page) {
        return page.size() < NameService.LIST_MAX;
    }

    private CompletableFuture<Boolean> remove(BoundName bound) {
        return frontEnd.unbind(bound.name(), bound.version()).toCompletableFuture();
    }

    /**
     * What is bound at and below a prefix, who leads, and what has changed, for the console.
     *
     * @param prefix empty for all names
     * @param after only names behind this one; empty for all
     * @return fails with {@link IllegalArgumentException} if one of them is no name; without names if they cannot be had
     */
    public Future<NamesStatus> status(String prefix, String after) {
        CompletionStage<List<BoundName>> listed;
        try {
            Optional<Name> behind = after.isEmpty() ? Optional.empty() : Optional.of(Name.parse(after));
            listed = frontEnd.list(Name.parsePrefix(prefix), SHOWN_MAX + 1, behind);
        } catch (NameException e) {
            return Future.failedFuture(new IllegalArgumentException(e.getMessage(), e));
        }
        Promise<NamesStatus> status = Promise.promise();
        listed.whenComplete((found, fault) -> status.complete(status(fault == null ? found : List.of(), fault == null ? "" : Causes.text(fault))));
        return status.future();
    }

    private NamesStatus status(List<BoundName> found, String unavailable) {
        Optional<Leader> elected = leader.leader();
        return new NamesStatus(
                relay, elected.map(Leader::contender).orElse(""), elected.map(Leader::count).orElse(0L), elected.map(Leader::since).orElse(0L), unavailable,
                found.stream().limit(SHOWN_MAX).map(each -> new NamesStatus.BoundName(
                        each.name().toString(), each.version(), each.record().epoch(), NameHistory.text(each.record()))).toList(),
                found.size() > SHOWN_MAX,
                frontEnd.history().newestFirst().stream().map(each -> new NamesStatus.NameChange(
                        each.at(), each.name().toString(), each.version(), each.epoch(), each.present(), each.fields())).toList());
    }

    /** Why names cannot be had; empty if they can. */
    public Optional<String> unavailable() {
        return frontEnd.unavailable();
    }

    /**
     * Leaves the elections and ends what listens. Confined to the front end's executor.
     *
     * @return complete when the other relays can know, within {@value #LEAVE_MS_MAX} ms
     */
    public Future<Void> close() {
        Promise<Void> left = Promise.promise();
        leader.close().whenComplete((done, never) -> left.tryComplete());
        alarm.after(LEAVE_MS_MAX, left::tryComplete);
        return left.future().onComplete(done -> frontEnd.close());
    }
}
