package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.posthouse.directory.GroupOfThree.get;

import com.hazelcast.cluster.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;
import org.posthouse.names.NameService;

/** Names of a group of three that is cut in one and two, and healed, while all three write. */
@Timeout(7200)
class SplitNamesTest {
    private static final int RELAYS = GroupOfThree.RELAYS;
    private static final int CUTS = Boolean.getBoolean("posthouse.long") ? 100 : 1;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int PAUSE_MS = 20;

    @RegisterExtension
    private final GroupOfThree group = new GroupOfThree("split-names");

    private NameService names(int relay) {
        return group.names(relay);
    }

    private void cut(int relay) {
        for (int other = 0; other < RELAYS; other++) {
            if (other != relay) {
                group.cut(relay, other);
            }
        }
    }

    private void heal(int relay) {
        for (int other = 0; other < RELAYS; other++) {
            if (other != relay) {
                group.heal(relay, other);
            }
        }
        for (int one = 0; one < RELAYS; one++) {
            group.awaitMembers(one, RELAYS);
        }
    }

    /** A relay that appends an id to a record, again and again, whatever it is answered. */
    private final class Writer implements Runnable {
        private final int relay;
        private final Name log;
        private final AtomicBoolean over;

        /** Ids whose change was confirmed. */
        private final Set<String> confirmed = ConcurrentHashMap.newKeySet();

        Writer(int relay, Name log, AtomicBoolean over) {
            this.relay = relay;
            this.log = log;
            this.over = over;
        }

        @Override
        public void run() {
            for (int next = 0; !over.get(); next++) {
                String id = "r" + relay + "." + next;
                try {
                    BoundName now = get(names(relay).lookup(log)).orElseThrow();
                    get(names(relay).swap(log, now.version(), NameRecord.of(Map.of("ids", now.record().field("ids") + id + " "))));
                    confirmed.add(id);
                } catch (CompletionException e) {
                    assertThat(((NameException) e.getCause()).kind()).isIn(NameException.Kind.CONFLICT, NameException.Kind.UNAVAILABLE);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theMinorityChangesNothingAndNothingIsLostOrOlderAfterwards() throws Exception {
        for (int round = 0; round < CUTS; round++) {
            cutAndHeal(round);
        }
    }

    private void cutAndHeal(int round) throws Exception {
        int alone = round % RELAYS;
        int other = (round + 1) % RELAYS;
        Name log = Name.parse("round-" + round + "/log");
        Name before = Name.parse("round-" + round + "/before");
        Name forbidden = Name.parse("round-" + round + "/forbidden");
        get(names(0).bind(log, NameRecord.of(Map.of("ids", ""))));
        BoundName stays = get(names(alone).bind(before, NameRecord.of(Map.of("round", "" + round), 7)));
        List<AtomicLong> heard = new ArrayList<>();
        List<NameService.Subscription> listening = new ArrayList<>();
        for (int relay = 0; relay < RELAYS; relay++) {
            AtomicLong version = new AtomicLong();
            heard.add(version);
            listening.add(names(relay).listen(log, change -> version.set(change.bound().version())));
        }
        AtomicBoolean over = new AtomicBoolean();
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int relay = 0; relay < RELAYS; relay++) {
            writers.add(new Writer(relay, log, over));
            threads.add(Thread.ofPlatform().start(writers.getLast()));
        }
        await().atMost(PATIENCE).until(() -> writers.stream().allMatch(writer -> writer.confirmed.size() > 2));

        cut(alone);
        await().atMost(PATIENCE).until(() -> refusal(names(alone).lookup(log)).contains("no majority: 1 of 3 known relays reach each other"));
        int atCut = writers.get(alone).confirmed.size();
        assertThat(refusal(names(alone).bind(forbidden, NameRecord.of(Map.of())))).contains("no majority");
        assertThat(refusal(names(alone).rebind(before, NameRecord.of(Map.of(), 9)))).contains("no majority");
        assertThat(refusal(names(alone).unbind(before, NameService.ANY_VERSION))).contains("no majority");
        assertThat(refusal(names(alone).list(Name.ROOT, 10, Optional.empty()))).contains("no majority");
        int majorityAtCut = writers.get(other).confirmed.size();
        await().atMost(PATIENCE).until(() -> writers.get(other).confirmed.size() > majorityAtCut + 2);
        assertThat(writers.get(alone).confirmed).as("confirmed by the minority").hasSize(atCut);

        heal(alone);
        await().atMost(PATIENCE).until(() -> writers.get(alone).confirmed.size() > atCut + 2);
        over.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        BoundName last = get(names(other).lookup(log)).orElseThrow();
        List<String> ids = List.of(last.record().field("ids").split(" "));
        assertThat(ids).doesNotHaveDuplicates();
        for (Writer writer : writers) {
            assertThat(ids).as("round %d", round).containsAll(writer.confirmed);
        }
        for (int relay = 0; relay < RELAYS; relay++) {
            assertThat(get(names(relay).lookup(log))).contains(last);
            assertThat(get(names(relay).lookup(before))).contains(stays);
            assertThat(get(names(relay).lookup(forbidden))).isEmpty();
            AtomicLong version = heard.get(relay);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(version).hasValue(last.version()));
        }
        listening.forEach(NameService.Subscription::close);
        System.out.printf("names hazelcast: cut %d of r%d, %d changes confirmed, members %s%n", round, alone, ids.size(),
                group.directory(0).member().getCluster().getMembers().stream().map(Member::getUuid).map(id -> id.toString().substring(0, 4)).toList());
    }

    /** The message of a failure; empty if it did not fail. */
    private static String refusal(CompletionStage<?> stage) {
        try {
            get(stage);
            return "";
        } catch (CompletionException e) {
            assertThat(((NameException) e.getCause()).kind()).isEqualTo(NameException.Kind.UNAVAILABLE);
            return e.getCause().getMessage();
        }
    }
}
