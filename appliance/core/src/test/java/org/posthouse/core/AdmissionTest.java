package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Identify;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.Token;

/** Who may join: every refusal has its name, and changes nothing. */
final class AdmissionTest {
    private final OneRelay relay;

    AdmissionTest() throws Refusal {
        relay = new OneRelay();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    static Stream<Arguments> refusedHellos() {
        long job = OneRelay.JOB;
        return Stream.of(
                arguments("unknown job", Hello.firstStart(1, 0), CloseReason.UNKNOWN_JOB),
                arguments("rank past the end", Hello.firstStart(job, 5), CloseReason.WRONG_RANK),
                arguments("negative rank", Hello.firstStart(job, -1), CloseReason.WRONG_RANK),
                arguments("deliveries", remembering(Hello.FRESH, 1, 0), CloseReason.CANNOT_RESUME),
                arguments("failed polls", remembering(Hello.FRESH, 0, 1), CloseReason.CANNOT_RESUME),
                arguments("another connection", remembering(Hello.AGAIN, 0, 0), CloseReason.CANNOT_RESUME),
                arguments("same incarnation as the living one", hello(1, 2), CloseReason.FENCED),
                arguments("older incarnation than the living one", hello(1, 1), CloseReason.FENCED),
                arguments("newer incarnation", hello(1, 3), CloseReason.CANNOT_RESUME));
    }

    private static Hello hello(int rank, int incarnation) {
        return Hello.start(OneRelay.JOB, rank, incarnation);
    }

    private static Hello remembering(int start, long deliveries, long failedPolls) {
        return Hello.firstStart(OneRelay.JOB, 0).again(start, deliveries, failedPolls, 0, 1, 0);
    }

    /** Who has not the token is told no more than that, and the launcher that somebody was there; of any rank, at home here or not. */
    @Test
    void eachRankHasToProveATokenOfItsOwn() throws Refusal {
        Set<Token> tokens = new HashSet<>();
        for (int rank = -1; rank < 9; rank++) {
            Identify client = new Identify(Hello.RANK, OneRelay.JOB, rank, new Nonce(1, 2));
            assertThat(tokens.add(relay.core.tokenOf(client))).isTrue();
            assertThat(relay.core.unproven(client).reason()).isEqualTo(CloseReason.WRONG_TOKEN);
            assertThat(relay.events.removeLast()).satisfies(event -> assertThat(event.kind()).isEqualTo(JobEvent.REFUSED));
        }
        assertThat(tokens).doesNotContain(OneRelay.TOKEN);
        Identify stray = new Identify(Hello.RANK, 1, 0, new Nonce(1, 2));
        assertRefused(() -> relay.core.tokenOf(stray), CloseReason.UNKNOWN_JOB);
        assertThat(relay.core.unproven(stray).reason()).isEqualTo(CloseReason.UNKNOWN_JOB);
        assertThat(relay.events).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusedHellos")
    void refusesHelloByName(String what, Hello hello, CloseReason closeReason) throws Refusal {
        OneRelay.Rank living = relay.new Rank();
        relay.connect(hello(1, 2), living);
        relay.events.clear();
        assertRefused(() -> relay.connect(hello, relay.new Rank()), closeReason);
        assertThat(living.rank.state()).isEqualTo(RankState.CONNECTED);
        assertThat(living.rank.incarnation()).isEqualTo(2);
        assertThat(relay.core.job(OneRelay.JOB).homed(0).state()).isEqualTo(RankState.WAITING);
        if (closeReason != CloseReason.UNKNOWN_JOB) {
            assertThat(relay.events).singleElement().satisfies(event -> {
                assertThat(event.kind()).isEqualTo(JobEvent.REFUSED);
                assertThat(event.code()).isEqualTo(closeReason.code());
            });
        }
        relay.connect(0);
    }

    /** It takes this relay for its own one, and tries on: its launcher knows. */
    @Test
    void refusesARankOfAnotherSiteAndTellsNobody() throws Refusal {
        assertRefused(() -> relay.connect(Hello.firstStart(OneRelay.JOB, 3), relay.new Rank()), CloseReason.WRONG_RANK);
        assertThat(relay.events).isEmpty();
    }

    @Test
    void refusesRankThatWasLostOrFinalized() throws Exception {
        OneRelay.Rank lost = relay.connect(0);
        relay.core.disconnected(lost.rank, lost, CloseNotice.closing(0, CloseReason.NORMAL, "cut"));
        OneRelay.Rank done = relay.connect(1);
        done.sends(relay.frames.finalizing(0));
        assertRefused(() -> relay.connect(0), CloseReason.FENCED);
        assertRefused(() -> relay.connect(hello(0, 2), relay.new Rank()), CloseReason.CANNOT_RESUME);
        assertRefused(() -> relay.connect(1), CloseReason.FENCED);
        assertThat(lost.rank.state()).isEqualTo(RankState.LOST);
        assertThat(done.rank.state()).isEqualTo(RankState.FINALIZED);
    }

    @Test
    void welcomesWithItsCreditAndPlacement() throws Refusal {
        var welcome = relay.connect(2).welcome;
        assertThat(welcome.rank()).isEqualTo(2);
        assertThat(welcome.creditBytes()).isEqualTo(CoreConfig.CREDIT_BYTES_MIN);
        assertThat(welcome.creditMessages()).isEqualTo(16);
        assertThat(welcome.self()).isZero();
        assertThat(welcome.homeOf()).containsExactly(0, 0, 0, 1, 2);
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.CONNECTED);
    }

    @Test
    void refusesJobThatIsOpenAlready() {
        assertRefused(() -> relay.core.openJob(
                OneRelay.opening(OneRelay.JOB), relay::peerOf, event -> {}, Journal.NONE), CloseReason.DUPLICATE_JOB);
    }

    @Test
    void refusesJobWithoutThisRelay() {
        RelayCore core = new RelayCore("relay-here", relay.config, 1, UnexpectedPool.own(relay.config, 1), System::nanoTime, relay.historySource, relay.images);
        List<HomeRelay> homes = List.of(new HomeRelay("there", "relay-there", "127.0.0.1:2"));
        JobOpen elsewhere = new JobOpen(5, OneRelay.TOKEN, true, "elsewhere", homes, new int[] {0});
        assertRefused(() -> core.openJob(elsewhere, relay::peerOf, event -> {}, Journal.NONE), CloseReason.WRONG_SITE);
        assertThat(core.job(5)).isNull();
    }

    @Test
    void refusesLimitsThatCannotWork() {
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN - 1, 16, 128 * 1024, 0, 0, 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 15, 128 * 1024, 0, 0, 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 64 * 1024, 0, 0, 1, 1, 0));
        assertThatIllegalArgumentException()
                .as("the library's chunks begin at multiples of 64 KiB")
                .isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 128 * 1024 + 1, 0, 0, 1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 128 * 1024, 0, 0, -1, 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new CoreConfig(CoreConfig.CREDIT_BYTES_MIN, 16, 128 * 1024, 0, 0, 2, 1, 0));
    }

    @Test
    void holdsBackLessThanHalfOfTheCreditHoweverManyRelays() {
        assertThat(CoreConfig.DEFAULT.creditPortionBytes(2)).as("few frames for many messages").isEqualTo(1 << 20);
        assertThat(CoreConfig.DEFAULT.creditPortionMessages(2)).isEqualTo(1_024);
        for (int relays = 1; relays < 200; relays++) {
            assertThat(relays * (CoreConfig.DEFAULT.creditPortionBytes(relays) - 1))
                    .isLessThanOrEqualTo(CoreConfig.DEFAULT.creditBytes() / 2);
            assertThat(relays * (CoreConfig.DEFAULT.creditPortionMessages(relays) - 1))
                    .isLessThanOrEqualTo(CoreConfig.DEFAULT.creditMessages() / 2);
        }
    }

    private static void assertRefused(ThrowingCallable call, CloseReason closeReason) {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(call)
                .satisfies(refusal -> assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(closeReason));
    }
}
