package org.posthouse.core;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.posthouse.wire.Wire;

/**
 * A random program that any matching by MPI's rules completes: the patterns of a rank's receives split the messages
 * to it into classes, and each class has as many receives as messages.
 */
final class SimProgram {
    /** What a receive or a probe asks for. */
    record Pattern(int context, int source, int tag) {
        boolean takes(SimLetter letter) {
            return context == letter.context
                    && (source == Wire.ANY || source == letter.source)
                    && (tag == Wire.ANY || tag == letter.tag);
        }
    }

    /** One step of a rank. {@code letter} is set for SEND, {@code pattern} for the others but PAUSE. */
    record Step(Kind kind, SimLetter letter, Pattern pattern) {}

    enum Kind {
        SEND,
        POST,
        TRY_PROBE,
        PROBE,
        PAUSE
    }

    private final Random random;
    private final List<SimLetter> letters = new ArrayList<>();
    private final Map<List<Integer>, Integer> choices = new HashMap<>();

    SimProgram(Random random, int ranks) {
        this.random = random;
        int contexts = 1 + random.nextInt(2);
        int tags = 1 + random.nextInt(3);
        boolean flood = random.nextInt(4) == 0;
        int count = flood ? 60 + random.nextInt(80) : 1 + random.nextInt(40);
        int largeOf = flood ? 400 : 14;
        for (int id = 0; id < count; id++) {
            int source = flood && random.nextInt(4) > 0 ? 0 : random.nextInt(ranks);
            int destination = flood && random.nextInt(4) > 0 ? ranks - 1 : random.nextInt(ranks);
            letters.add(new SimLetter(
                    id, random.nextInt(contexts), source, destination, random.nextInt(tags), length(largeOf),
                    random.nextInt(8) == 0));
        }
    }

    private int length(int largeOf) {
        return switch (random.nextInt(largeOf)) {
            case 0 -> Wire.PAYLOAD_BYTES_MAX - 1 + random.nextInt(3);
            case 1 -> random.nextInt(5 * Wire.PAYLOAD_BYTES_MAX);
            case 2 -> random.nextInt(SimLetter.BYTES_MAX);
            case 3 -> CoreWorld.EAGER_BYTES - 1 + random.nextInt(3);
            case 4 -> 0;
            case 5 -> random.nextInt(Wire.PAYLOAD_BYTES_MAX);
            default -> random.nextInt(200);
        };
    }

    List<SimLetter> letters() {
        return letters;
    }

    /** The steps of {@code rank}: its sends in order, its receives shuffled among them. */
    List<Step> stepsOf(int rank) {
        List<Step> receives = new ArrayList<>();
        for (SimLetter letter : letters) {
            if (letter.destination == rank) {
                Pattern pattern = patternOf(letter);
                if (random.nextInt(6) == 0) {
                    receives.add(new Step(Kind.PROBE, null, pattern));
                }
                receives.add(new Step(Kind.POST, null, pattern));
                if (random.nextInt(6) == 0) {
                    receives.add(new Step(Kind.TRY_PROBE, null, pattern));
                }
            }
        }
        Collections.shuffle(receives, random);
        List<Step> steps = new ArrayList<>();
        int bias = random.nextInt(11);
        int next = 0;
        for (SimLetter letter : letters) {
            if (letter.source == rank) {
                for (; next < receives.size() && random.nextInt(11) < bias; next++) {
                    steps.add(receives.get(next));
                }
                steps.add(new Step(Kind.SEND, letter, null));
            }
        }
        if (random.nextBoolean()) {
            steps.add(new Step(Kind.PAUSE, null, null));
        }
        steps.addAll(receives.subList(next, receives.size()));
        return steps;
    }

    /** Which receive is meant to get this letter: by a choice made once for its destination, source or tag. */
    private Pattern patternOf(SimLetter letter) {
        int style = choice(3, letter.context, letter.destination);
        if (style == 0) {
            return new Pattern(letter.context, Wire.ANY, Wire.ANY);
        }
        if (style == 1) {
            boolean anyTag = choice(2, letter.context, letter.destination, 1, letter.source) == 0;
            return new Pattern(letter.context, letter.source, anyTag ? Wire.ANY : letter.tag);
        }
        boolean anySource = choice(2, letter.context, letter.destination, 2, letter.tag) == 0;
        return new Pattern(letter.context, anySource ? Wire.ANY : letter.source, letter.tag);
    }

    private int choice(int of, Integer... key) {
        return choices.computeIfAbsent(List.of(key), unseen -> random.nextInt(of));
    }
}
