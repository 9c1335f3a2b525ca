package org.posthouse.directory.names;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.LifecycleEvent;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesMajorityTest {
    private static final int COPIES = 2;
    private static final String OWN = "127.0.0.1:1";

    private static NamesMajority majority(String... addresses) {
        return new NamesMajority("relay", OWN, List.of(addresses));
    }

    private static boolean has(NamesMajority majority, String... relays) {
        return majority.apply(Arrays.stream(relays).map(NamesMajorityTest::member).toList());
    }

    static NamesMajority.Group group(NamesMajority.Roll roll, String... present) {
        return new NamesMajority.Group() {
            @Override
            public NamesMajority.Roll roll() {
                return roll;
            }

            @Override
            public List<Member> members() {
                return Arrays.stream(present).map(NamesMajorityTest::member).toList();
            }

            @Override
            public int copies(String key) {
                return COPIES;
            }

            @Override
            public long listVersion() {
                return 0;
            }
        };
    }

    private static Member member(String relay) {
        return member(relay, port(relay));
    }

    private static Member member(String relay, int port) {
        return (Member) Proxy.newProxyInstance(Member.class.getClassLoader(), new Class<?>[] {Member.class}, (proxy, method,
                args) -> switch (method.getName()) {
                    case "getAddress" -> new Address("127.0.0.1", InetAddress.getLoopbackAddress(), port);
                    case "localMember" -> true;
                    default -> relay;
                });
    }

    private static int port(String relay) {
        return relay.charAt(0) - 'a' + 1;
    }

    @Test
    void membersCountWhenTheyHaveMergedWhatTheyHad() {
        NamesMajority majority = majority("127.0.0.1:2", "127.0.0.1:3");
        majority.follow(group(new NamesMajority.Roll(Set.of("a", "b", "c"), Set.of()), "a", "b"));
        assertThat(majority.lacking()).isEmpty();
        majority.merged().stateChanged(new LifecycleEvent(LifecycleEvent.LifecycleState.MERGING));
        assertThat(majority.lacking())
                .contains("0 of 3 known relays reach each other, expected at least 2; 2 more have come, and their names are not merged yet: a, b");
        assertThat(majority.isWhole()).isFalse();
        majority.merged().stateChanged(new LifecycleEvent(LifecycleEvent.LifecycleState.MERGED));
        assertThat(majority.lacking()).isEmpty();
    }

    /** Of five, two stop; of the three that are left, one is cut off, where the two start again. Three of five may answer then. */
    @Test
    void aConfiguredRelayThatLeftWithNoticeStillCountsAsItMayStartElsewhere() {
        NamesMajority majority = majority("127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4", "127.0.0.1:5");
        assertThat(has(majority, "a", "b", "c", "d", "e")).isTrue();
        majority.follow(group(new NamesMajority.Roll(Set.of("a", "b", "c"), Set.of("d", "e"))));
        assertThat(has(majority, "a", "b", "c")).isTrue();
        assertThat(has(majority, "a", "b")).isFalse();
        NamesMajority other = majority("127.0.0.1:2", "127.0.0.1:3", "127.0.0.1:4", "127.0.0.1:5");
        assertThat(has(other, "c", "d", "e")).isTrue();
    }

    @Test
    void configuredRelaysThatLeftCountBesideThoseThatCameWithoutBeingConfigured() {
        NamesMajority majority = majority("127.0.0.1:2", "127.0.0.1:3");
        assertThat(has(majority, "a", "b", "c", "d", "e")).isTrue();
        majority.follow(group(new NamesMajority.Roll(Set.of("a", "d", "e"), Set.of("b", "c"))));
        assertThat(has(majority, "d", "e")).as("of five").isFalse();
        assertThat(has(majority, "a", "d", "e")).isTrue();
    }

    /** Its address counts once. */
    @Test
    void aConfiguredRelayThatCameBackUnderAnotherIdCountsOnce() {
        NamesMajority majority = majority("127.0.0.1:2");
        assertThat(has(majority, "a", "b")).isTrue();
        majority.follow(group(new NamesMajority.Roll(Set.of("a"), Set.of("b"))));
        assertThat(majority.apply(List.of(member("a"), member("new", 2)))).isTrue();
        assertThat(majority.relays()).isEqualTo(2);
    }

    @Test
    void aRelayThatKnowsNoOtherAnswersAlone() {
        assertThat(has(majority(), "a")).isTrue();
        assertThat(has(majority(OWN), "a")).isTrue();
    }

    @Test
    void ofTwoNeitherAnswersAlone() {
        NamesMajority majority = majority("127.0.0.1:2");
        assertThat(has(majority, "a")).isFalse();
        assertThat(majority.lacking()).contains("1 of 2 known relays reach each other, expected at least 2");
        assertThat(has(majority, "a", "b")).isTrue();
    }

    @Test
    void theMajorityGrowsWithTheGrid() {
        NamesMajority majority = majority();
        assertThat(has(majority, "a", "b", "c", "d", "e")).isTrue();
        assertThat(has(majority, "a", "b", "c")).isTrue();
        assertThat(has(majority, "a", "b")).isFalse();
    }

    @Test
    void aRelayThatIsOnlyListedCounts() {
        NamesMajority majority = majority();
        majority.follow(group(new NamesMajority.Roll(Set.of("b", "c"), Set.of())));
        assertThat(has(majority, "a")).isFalse();
        assertThat(has(majority, "a", "b")).isTrue();
    }

    @Test
    void aRelayThatLeftWithNoticeDoesNotCountAndOneThatDiedDoes() {
        NamesMajority majority = majority();
        assertThat(has(majority, "a", "b", "c")).isTrue();
        assertThat(has(majority, "a")).isFalse();
        majority.follow(group(new NamesMajority.Roll(Set.of("a"), Set.of("b", "c"))));
        assertThat(has(majority, "a")).isTrue();
    }

    /** Hazelcast tells of it when the copies of the lost member are not waited for any more. */
    @Test
    void aMemberThatIsGoneDoesNotCountBeforeHazelcastTellsOfIt() {
        NamesMajority majority = majority();
        assertThat(has(majority, "a", "b", "c")).isTrue();
        majority.follow(group(new NamesMajority.Roll(Set.of(), Set.of()), "a"));
        assertThat(majority.lacking()).contains("1 of 3 known relays reach each other, expected at least 2");
    }

    /** A member that has just come is one of a majority before it has a copy. */
    @Test
    void aRecordIsChangedOnlyWhereEachMajorityHasACopy() {
        assertThat(lackingCopiesOf(1)).isEmpty();
        assertThat(lackingCopiesOf(2)).isEmpty();
        assertThat(lackingCopiesOf(3)).isEmpty();
        assertThat(lackingCopiesOf(4)).isEmpty();
        assertThat(lackingCopiesOf(5)).contains("2 of the relays that reach each other would keep a copy of this name, expected at least 3 of 5");
        assertThat(lackingCopiesOf(20)).contains("2 of the relays that reach each other would keep a copy of this name, expected at least 7 of 20");
    }

    private static Optional<String> lackingCopiesOf(int relays) {
        String[] all = IntStream.range(0, relays).mapToObj(Integer::toString).toArray(String[]::new);
        NamesMajority majority = majority();
        majority.follow(group(new NamesMajority.Roll(Set.of(), Set.of()), all));
        assertThat(has(majority, all)).isTrue();
        return majority.lackingCopies("key");
    }

    /** They would be two that count as one, or one that counts as two. */
    @Test
    void twoMembersThatSayToBeOneRelayCountOnce() {
        assertThat(has(majority("127.0.0.1:2", "127.0.0.1:3"), "a", "a")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 20, 100})
    void noTwoPartsAnswerAndThePartThatDoesHasACopyOfEachRecord(int relays) {
        int needed = NamesMajority.needed(relays);
        assertThat(needed).isBetween(1, relays);
        assertThat(2 * needed).isGreaterThan(relays);
        int copies = Math.min(relays, NamesMap.BACKUPS + 1);
        assertThat(relays - needed).as("relays that may be missing").isLessThan(copies);
        assertThat(IntStream.range(1, needed)).as("fewer would do").noneMatch(fewer -> 2 * fewer > relays && relays - fewer < copies);
    }
}
