package org.posthouse.launch.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.ToldRelay;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Token;

/** What is said of relays that were named and cannot be reached. */
class RelaySearchTest {
    /** Ports of which no program of ours is ever given one by the system. */
    private static final String NOBODY = "127.0.0.1:1";

    private static final String NEITHER = "127.0.0.1:2";

    private static void find(String... addresses) throws JobFailure {
        RelaySearch.find(new PlacementRequest(List.of(addresses), 0, 0, Token.NONE), 2);
    }

    @Test
    void unreachableRelayFailsWithAdvice() {
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> find(NOBODY))
                .withMessage("cannot reach the relay at 127.0.0.1:1: Connection refused; start it (posthouse relay --site SITE --listen 127.0.0.1:1),"
                        + " or give --relay the address at which it says that it listens; without --relay the job runs over relays of its own");
    }

    /** It may have been started just before. */
    @Test
    void aNamedRelayThatReadsItsLogIsWaitedFor() throws Exception {
        try (ToldRelay relay = new ToldRelay()) {
            CompletableFuture<Void> greeted = CompletableFuture.runAsync(() -> assertThatCode(() -> {
                relay.turnAway(CloseReason.RELAY_STARTING);
                relay.turnAway(CloseReason.RELAY_STARTING);
                relay.greet();
            }).doesNotThrowAnyException(), Thread::startVirtualThread);
            List<List<RelayClient>> found = RelaySearch.find(new PlacementRequest(List.of(relay.address()), 0, 0, Token.NONE), 2);
            found.getFirst().forEach(RelayClient::close);
            greeted.join();
        }
    }

    @Test
    void failsWhenRelayListIsTruncatedAndSitesAreMissing() throws Exception {
        try (ToldRelay relay = new ToldRelay()) {
            List<HomeRelay> homes = new ArrayList<>(List.of(new HomeRelay("here", "here", relay.address())));
            IntStream.range(0, 400).forEach(i -> homes.add(new HomeRelay("here", "here/" + i, "h".repeat(255))));
            CompletableFuture<Void> greeted =
                    CompletableFuture.runAsync(() -> assertThatCode(() -> relay.greet(homes)).doesNotThrowAnyException(), Thread::startVirtualThread);
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> RelaySearch.find(new PlacementRequest(List.of(relay.address()), 2, 0, Token.NONE), 2))
                    .withMessage("the job wants 2 sites, but the relay at " + relay.address() + " knows only 1; relay here at " + relay.address()
                            + " knows of 401 relays and could tell of 237; name those of the others that are to take part with --relay");
            greeted.join();
        }
    }

    @Test
    void tooFewKnownSitesFailWithAdvice() throws Exception {
        try (ToldRelay relay = new ToldRelay()) {
            CompletableFuture<Void> greeted =
                    CompletableFuture.runAsync(() -> assertThatCode(relay::greet).doesNotThrowAnyException(), Thread::startVirtualThread);
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> RelaySearch.find(new PlacementRequest(List.of(relay.address()), 2, 0, Token.NONE), 2))
                    .withMessage("the job wants 2 sites, but the relay at " + relay.address() + " knows only 1; name one of each other site with --relay,"
                            + " or start them all with --tunnel-group, so that they know each other");
            greeted.join();
        }
    }

    /** Each relay listens at its own host's loopback address, and the launcher is on one of these hosts. */
    @Test
    void differentRelayAtAnnouncedAddressFailsWithAdvice() throws Exception {
        try (ToldRelay relay = new ToldRelay()) {
            List<HomeRelay> homes = List.of(new HomeRelay("here", "here", relay.address()), new HomeRelay("there", "there", relay.address()));
            CompletableFuture<Void> greeted = CompletableFuture.runAsync(() -> assertThatCode(() -> {
                relay.greet(homes);
                relay.greet(homes);
            }).doesNotThrowAnyException(), Thread::startVirtualThread);
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> RelaySearch.find(new PlacementRequest(List.of(relay.address()), 2, 0, Token.NONE), 2))
                    .withMessage("the job wants 1 relays of site there, but only 0 can be reached; relay there: relay here answers at " + relay.address()
                            + "; if it runs on another host, start it with --announce and the address at which it is reached from here, or name that"
                            + " with --relay");
            greeted.join();
        }
    }

    /** Whoever dials that comes to his own host. */
    @Test
    void whoseAddressIsEveryOneOfItsHostIsNotDialled() throws Exception {
        for (String every : List.of("0.0.0.0:7411", ":::7411", "[::]:7411")) {
            try (ToldRelay relay = new ToldRelay()) {
                List<HomeRelay> homes = List.of(new HomeRelay("here", "here", relay.address()), new HomeRelay("there", "there", every));
                CompletableFuture<Void> greeted =
                        CompletableFuture.runAsync(() -> assertThatCode(() -> relay.greet(homes)).doesNotThrowAnyException(), Thread::startVirtualThread);
                assertThatExceptionOfType(JobFailure.class)
                        .isThrownBy(() -> RelaySearch.find(new PlacementRequest(List.of(relay.address()), 2, 0, Token.NONE), 2))
                        .withMessage("the job wants 1 relays of site there, but only 0 can be reached; relay there: all that others know is that it listens at "
                                + every
                                + ", which is every address of its host: start it with --announce HOST:PORT, or name it with --relay");
                greeted.join();
            }
        }
    }

    /** One of them would have no ranks, and nobody would know. */
    @Test
    void twoRelaysOfOneNameAreNotTakenForOne() throws Exception {
        try (ToldRelay one = new ToldRelay();
                ToldRelay other = new ToldRelay()) {
            CompletableFuture<Void> greeted = CompletableFuture.runAsync(() -> assertThatCode(() -> {
                one.greet();
                other.greet();
            }).doesNotThrowAnyException(), Thread::startVirtualThread);
            assertThatExceptionOfType(JobFailure.class)
                    .isThrownBy(() -> find(one.address(), other.address()))
                    .withMessage("two relays are called here: one listens at " + one.address() + ", one at " + other.address()
                            + "; leave one of them out, or start it with a --site or --name of its own");
            greeted.join();
        }
    }

    @Test
    void aRelayThatIsNamedTwiceTakesPartOnce() throws Exception {
        try (ToldRelay relay = new ToldRelay()) {
            CompletableFuture<Void> greeted = CompletableFuture.runAsync(() -> assertThatCode(() -> {
                relay.greet();
                relay.greet();
            }).doesNotThrowAnyException(), Thread::startVirtualThread);
            List<List<RelayClient>> found = RelaySearch.find(new PlacementRequest(List.of(relay.address(), relay.address()), 0, 0, Token.NONE), 2);
            assertThat(found).singleElement().asInstanceOf(LIST).hasSize(1);
            found.getFirst().forEach(RelayClient::close);
            greeted.join();
        }
    }

    @Test
    void unreachableRelayOfSeveralFailsWithAdviceToOmitIt() {
        assertThatExceptionOfType(JobFailure.class)
                .isThrownBy(() -> find(NOBODY, NEITHER))
                .withMessage("cannot reach the relay at 127.0.0.1:1: Connection refused; start it (posthouse relay --site SITE --listen 127.0.0.1:1),"
                        + " or give --relay the address at which it says that it listens, or leave it out: another is named");
    }
}
