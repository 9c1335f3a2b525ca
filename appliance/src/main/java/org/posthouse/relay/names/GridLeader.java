package org.posthouse.relay.names;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.posthouse.names.Alarm;
import org.posthouse.names.BoundName;
import org.posthouse.names.CompoundRecords;
import org.posthouse.names.CopyCollector;
import org.posthouse.names.Leader;
import org.posthouse.names.Leadership;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameFrontEnd;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The elected relay of the grid, as each relay takes part in it. The elected one keeps the record of the members ({@code vm/state}) and those of
 * the open jobs ({@code job/ID/state}), collects copies that nothing points to, and takes back what jobs have published that are over. Confined to the front end's executor, but for {@link #leader}.
 */
public final class GridLeader {
    /** The token of the election, whose record names the elected relay. */
    public static final Name TOKEN = NameCaller.GRID.child("leader");

    /** The state that points to the records of the members. */
    public static final Name STATE = NameCaller.GRID.child("state");

    private static final Logger LOG = LoggerFactory.getLogger(GridLeader.class);

    private static final Pattern JOB_ID = Pattern.compile("[0-9a-f]{1,16}");

    /** Milliseconds between two looks at the members. */
    private static final long MEMBERS_MS = 3_000;

    /** Looks at the members between two collections. */
    private static final int COLLECT_EACH = 20;

    /** Members in one record. */
    private static final int MEMBERS_EACH = 50;

    private final String relay;
    private final NameFrontEnd names;
    private final Alarm alarm;
    private final Executor executor;
    private final Leadership leadership;
    private final CompoundRecords members;
    private final CopyCollector copies;
    private final JobStateRecords jobs;
    private final GridView grid;
    private Set<Name> seenOver = Set.of();
    private int looks;
    private boolean isBusy;
    private boolean closed;

    /**
     * @param grid what the records are made of
     * @param events told a kind and a text, for the console
     */
    GridLeader(
            String relay, NameFrontEnd names, Alarm alarm, Executor executor, GridView grid, BiConsumer<String, String> events) {
        this.relay = relay;
        this.names = names;
        this.alarm = alarm;
        this.executor = executor;
        this.grid = grid;
        this.leadership = new Leadership(
                names, known -> names.elect(TOKEN, relay, known), alarm, executor, TOKEN, relay, leader -> tell(leader, events));
        this.members = new CompoundRecords(names, STATE, () -> UUID.randomUUID().toString(), alarm);
        this.copies = new CopyCollector(names, STATE, alarm);
        this.jobs = new JobStateRecords(names, leadership::ownCount);
    }

    private void tell(Optional<Leader> leader, BiConsumer<String, String> events) {
        String text = leader.map(elected -> "relay " + elected.contender() + " leads the grid, elected in election " + elected.count())
                .orElse("no relay is known to lead the grid");
        LOG.info("{}: {}", relay, text);
        events.accept(leader.isPresent() ? "LEADER_ELECTED" : "LEADER_LOST", text);
    }

    /** Who leads; empty if nobody is known to. Thread-safe. */
    public Optional<Leader> leader() {
        return leadership.leader();
    }

    void start() {
        leadership.start();
        alarm.after(MEMBERS_MS, this::look);
    }

    private void look() {
        if (closed) {
            return;
        }
        alarm.after(MEMBERS_MS, this::look);
        long epoch = leadership.ownCount();
        if (epoch == 0 || isBusy) {
            return;
        }
        looks++;
        isBusy = true;
        CompletionStage<?> work = members.keep(records(grid.members().get()), epoch);
        if (looks % COLLECT_EACH == 0) {
            work = inAnyCase(work, () -> copies.collect().thenCompose(collected -> unpublish()));
        }
        // Last, as new records fail where names have no room, which the collector makes.
        work.thenCompose(kept -> grid.jobs().get()).thenComposeAsync(wanted -> jobs.keep(wanted, epoch), executor).whenCompleteAsync((done, fault) -> {
            isBusy = false;
            if (fault != null) {
                // The next look does it, here or at the relay that was elected meanwhile.
                LOG.info("{}: the records of members and jobs are not all written: {}", relay, fault.getMessage());
            }
        }, executor);
    }

    /** Does something after this, however it has ended: names that are full refuse records, and the collector makes room. */
    static CompletionStage<?> inAnyCase(CompletionStage<?> first, Supplier<CompletionStage<?>> next) {
        return first.handle((done, fault) -> next.get()).thenCompose(then -> then).thenCompose(done -> first);
    }

    /** The members in records of limited size. */
    static Map<String, Map<String, String>> records(SortedMap<String, String> members) {
        Map<String, Map<String, String>> records = new TreeMap<>();
        int at = 0;
        for (Map.Entry<String, String> member : members.entrySet()) {
            records.computeIfAbsent("members-" + at++ / MEMBERS_EACH, key -> new TreeMap<>()).put(member.getKey(), member.getValue());
        }
        return records;
    }

    /** Takes back what is published by jobs that were over at the last look, too: a job may just be opened. */
    private CompletionStage<Void> unpublish() {
        Set<Name> over = new HashSet<>();
        return unpublish(Optional.empty(), over).thenAccept(done -> seenOver = over);
    }

    private CompletionStage<Void> unpublish(Optional<Name> after, Set<Name> over) {
        return names.list(NameCaller.PUBLISHED, NameService.LIST_MAX, after).thenCompose(page -> {
            List<BoundName> gone = page.stream().filter(this::isOver).filter(bound -> {
                over.add(bound.name());
                return seenOver.contains(bound.name());
            }).toList();
            CompletableFuture<Void> removed =
                    CompletableFuture.allOf(gone.stream().map(bound -> names.unbind(bound.name(), bound.version()).exceptionally(GridLeader::changed)
                            .toCompletableFuture()).toArray(CompletableFuture[]::new));
            return page.size() < NameService.LIST_MAX ? removed : removed.thenCompose(all -> unpublish(Optional.of(page.getLast().name()), over));
        });
    }

    private boolean isOver(BoundName bound) {
        String job = bound.record().field(NameCaller.JOB);
        return JOB_ID.matcher(job).matches() && grid.isJobOver().test(job);
    }

    /** Somebody else has changed what was to be taken back. */
    private static Boolean changed(Throwable fault) {
        Throwable cause = fault.getCause() == null ? fault : fault.getCause();
        if (cause instanceof NameException conflict && conflict.kind() == NameException.Kind.CONFLICT) {
            return false;
        }
        throw new CompletionException(cause);
    }

    /** @return complete when the others can know, or cannot be told; never fails */
    CompletionStage<Void> close() {
        closed = true;
        return leadership.close();
    }
}
