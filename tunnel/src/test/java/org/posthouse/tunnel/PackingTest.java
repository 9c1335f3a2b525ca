package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When bulk goes packed, by numbers: rates in bytes a nanosecond, and chunks of 64 KiB that take 200 us to pack. */
class PackingTest {
    private static final int CHUNK = 65_536;
    private static final long PACKING_NANOS = 200_000;

    /** 40 Mb/s: a chunk takes 13 ms. */
    private static final double SLOW = 0.005;

    /** A chunk takes 65 us, less than packing it. */
    private static final double FAST = 1;

    private static final long SECOND = 1_000_000_000L;

    private final PackingRule rule = new PackingRule(Compression.AUTO);
    private long now = 5;

    @Test
    void packsWhereTheLinkIsSlowAndHalfRemains() {
        measure(0.5, SLOW);
        assertThat(rule.isOn()).isTrue();
    }

    @Test
    void packsNothingThatHardlyBecomesShorter() {
        measure(0.95, SLOW);
        assertThat(rule.isOn()).isFalse();
    }

    @Test
    void packsNothingOnALinkThatIsFasterThanPacking() {
        measure(0.05, FAST);
        assertThat(rule.isOn()).isFalse();
    }

    @Test
    void weighsPackingTimeAgainstSavedTransferTime() {
        // 0.9 = nanos a byte x rate + ratio: 0.00305 ns/B x rate + 0.5 = 0.9 at 0.131 B/ns.
        measure(0.5, 0.130);
        assertThat(rule.isOn()).isTrue();
        PackingRule faster = new PackingRule(Compression.AUTO);
        faster.measured(CHUNK, CHUNK / 2, PACKING_NANOS);
        faster.decide(0.132, now);
        assertThat(faster.isOn()).isFalse();
    }

    @Test
    void isOffWhenItHasNotPaidForASecond() {
        measure(0.3, SLOW);
        now += SECOND;
        for (int i = 0; i < 40; i++) {
            measure(1, SLOW);
        }
        assertThat(rule.isOn()).as("at once").isTrue();
        now += SECOND - 1;
        measure(1, SLOW);
        assertThat(rule.isOn()).as("just before the second is over").isTrue();
        now++;
        measure(1, SLOW);
        assertThat(rule.isOn()).as("after a second").isFalse();
    }

    @Test
    void staysOnIfItPaysAgainWithinTheSecond() {
        measure(0.3, SLOW);
        for (int i = 0; i < 40; i++) {
            measure(1, SLOW);
        }
        now += SECOND - 1;
        for (int i = 0; i < 40; i++) {
            measure(0.3, SLOW);
        }
        now += SECOND;
        for (int i = 0; i < 40; i++) {
            measure(1, SLOW);
        }
        assertThat(rule.isOn()).as("a new second has begun").isTrue();
    }

    @Test
    void isNotChangedByOneFrameThatIsOtherThanTheRest() {
        for (int i = 0; i < 20; i++) {
            measure(1, SLOW);
        }
        measure(0.3, SLOW);
        assertThat(rule.isOn()).isFalse();
    }

    @Test
    void isOffOnALinkWhoseRateIsNotKnownAnyMore() {
        measure(0.3, SLOW);
        measure(0.3, 0);
        now += SECOND;
        measure(0.3, 0);
        assertThat(rule.isOn()).isFalse();
    }

    @Test
    void takesTheFirstFrameAndThenOneOf61AsSamples() {
        assertThat(samplesOf(640, 0)).as("as long as the rate is not known").isZero();
        assertThat(rule.wantsSample(SLOW)).as("the first").isTrue();
        measure(1, SLOW);
        assertThat(samplesOf(640, SLOW)).isEqualTo(10);
    }

    /** Channels take turns, a frame each. */
    @Test
    void samplesFramesOfAllInterleavedChannels() {
        for (int channels = 2; channels <= 32; channels *= 2) {
            for (int first = 0; first < channels; first++) {
                PackingRule mixed = new PackingRule(Compression.AUTO);
                for (int frame = first; frame < first + 100 * PackingRule.FRAMES_PER_SAMPLE && !mixed.isOn(); frame++) {
                    if (mixed.wantsSample(SLOW)) {
                        mixed.measured(CHUNK, frame % channels < channels / 2 ? CHUNK : CHUNK / 4, PACKING_NANOS);
                        mixed.decide(SLOW, now);
                    }
                }
                assertThat(mixed.isOn()).as("%s channels, half of which do not become shorter, from number %s on", channels, first).isTrue();
            }
        }
    }

    @Test
    void believesTheSecondTimeMoreThanTheFirst() {
        rule.measured(CHUNK, CHUNK / 4, 100 * PACKING_NANOS);
        rule.decide(20 * SLOW, now);
        assertThat(rule.isOn()).isFalse();
        measure(0.25, 20 * SLOW);
        assertThat(rule.isOn()).isTrue();
    }

    @Test
    void takesFewSamplesWherePackingWouldNotPayIfNothingRemained() {
        for (int i = 0; i < 8; i++) {
            measure(0.5, FAST * 300);
        }
        assertThat(samplesOf(PackingRule.FRAMES_PER_SAMPLE_HOPELESS * 3, FAST * 300)).isEqualTo(3);
    }

    @Test
    void neverAndAlwaysDoNotMeasure() {
        for (Compression mode : new Compression[] {Compression.NEVER, Compression.ALWAYS}) {
            PackingRule fixed = new PackingRule(mode);
            assertThat(fixed.wantsSample(SLOW)).isFalse();
            fixed.measured(CHUNK, mode == Compression.NEVER ? 1 : CHUNK, PACKING_NANOS);
            for (int second = 0; second < 3; second++) {
                fixed.decide(SLOW, second * SECOND);
            }
            assertThat(fixed.isOn()).isEqualTo(mode == Compression.ALWAYS);
        }
    }

    private void measure(double ratio, double rate) {
        rule.measured(CHUNK, (int) (ratio * CHUNK), PACKING_NANOS);
        rule.decide(rate, now);
    }

    private int samplesOf(int frames, double rate) {
        int samples = 0;
        for (int i = 0; i < frames; i++) {
            samples += rule.wantsSample(rate) ? 1 : 0;
        }
        return samples;
    }
}
