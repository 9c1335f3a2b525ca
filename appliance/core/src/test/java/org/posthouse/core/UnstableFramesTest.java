package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Frames that wait are kept in their order, in places that are used again. */
final class UnstableFramesTest {
    private static final int FRAMES_MAX = 20;

    private final ForwardCount forwardCount = new ForwardCount(null, 0);
    private final UnstableFrames frames = new UnstableFrames(forwardCount, 0);
    private final Deque<Long> model = new ArrayDeque<>();
    private final Set<UnstableFrames.Waiting> places = Collections.newSetFromMap(new IdentityHashMap<>());

    private void add(long number) {
        UnstableFrames.Waiting frame = frames.add();
        frame.number = number;
        places.add(frame);
        model.add(number);
    }

    private void checkAll() {
        List<Long> numbers = new ArrayList<>();
        frames.forEach(frame -> numbers.add(frame.number));
        assertThat(numbers).isEqualTo(List.copyOf(model));
        assertThat(frames.isEmpty()).isEqualTo(model.isEmpty());
        assertThat(frames.peek()).satisfies(frame -> assertThat(frame == null ? null : frame.number).isEqualTo(model.peek()));
    }

    @Test
    void keepTheirOrderAndUseFewPlaces() {
        Random random = new Random(1);
        for (long number = 1; number <= 5_000; number++) {
            if (model.size() < random.nextInt(FRAMES_MAX)) {
                add(number);
            } else if (!model.isEmpty()) {
                assertThat(frames.remove().number).isEqualTo(model.remove());
            }
            checkAll();
        }
        assertThat(places).hasSizeLessThanOrEqualTo(2 * FRAMES_MAX);
    }

    @Test
    void theOldestIsPastWhenItsCoreHasHandledIt() {
        assertThat(frames.isPastHead()).as("nothing waits").isFalse();
        frames.add().passed = 3;
        frames.add().passed = 5;
        forwardCount.handled(3, rank -> {});
        assertThat(frames.isPastHead()).isTrue();
        frames.remove();
        assertThat(frames.isPastHead()).isFalse();
    }
}
