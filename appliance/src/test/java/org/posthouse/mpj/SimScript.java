package org.posthouse.mpj;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.progress.Settings;

/**
 * A random program, the same for all incarnations of all ranks: phases, each with traffic of its own in contexts of its own,
 * that any matching by MPI's rules completes. Whatever depends on time or order goes into the {@link Diary}, and with it into
 * all that is sent later.
 */
public final class SimScript implements SimProcess.Program {
    /** Contexts of a phase: its number times this, and those behind. Odd ones are for collectives. */
    static final int CONTEXTS = 4;

    private final long seed;
    private final int ranks;
    private final List<SimPhase> phases = new ArrayList<>();
    private final boolean asksRestored;
    private final SimPhase prologue;
    private final boolean deterministic;
    private final boolean large;
    private final boolean savesAlways;
    private final boolean takesBack;
    private final boolean longImages;
    private final Settings settings;

    /** How many rounds its ranks make that go on without others; 0: it has phases. */
    private final int rounds;

    public SimScript(Hardship hardship, long seed, int ranks) {
        this(hardship, seed, ranks, false);
    }

    /** @param survives whether its ranks go on without those that die */
    public SimScript(Hardship hardship, long seed, int ranks, boolean survives) {
        this.seed = seed;
        this.ranks = ranks;
        SplittableRandom shape = new SplittableRandom(seed);
        deterministic = shape.nextInt(4) == 0 && !hardship.takesBack() && !hardship.floods();
        large = shape.nextInt(6) == 0 || hardship.largeAlways();
        asksRestored = shape.nextInt(3) > 0 || hardship.savesAlways();
        savesAlways = hardship.savesAlways();
        takesBack = hardship.takesBack();
        longImages = hardship.longImages();
        int eagerBytesMax = shape.nextInt(3) == 0 ? shape.nextInt(70_000) : 256 * 1024;
        settings = new Settings(eagerBytesMax, 0, Settings.KEPT_BYTES_LEAST, 600);
        int count = 2 + shape.nextInt(6);
        for (int i = 0; i < count; i++) {
            phases.add(SimPhase.draw(shape, deterministic, hardship));
        }
        rounds = survives ? 3 + shape.nextInt(8) : 0;
        prologue = hardship.longPrologues() ? SimPhase.draw(shape, deterministic, hardship) : deterministic ? SimPhase.NAMED_EXCHANGE : SimPhase.EXCHANGE;
    }

    /** Whether all that any of its ranks sees is the same in every run. */
    public boolean isDeterministic() {
        return deterministic;
    }

    public Settings settings() {
        return settings;
    }

    public List<SimPhase> phases() {
        return phases;
    }

    @Override
    public void run(SimProcess process) throws IOException, ReceiveException {
        if (rounds > 0) {
            SplittableRandom own = new SplittableRandom(seed * 7_919 + process.rank());
            new SimSurvivors(process, ranks, rounds, settings.eagerBytesMax(), own).play();
            return;
        }
        Diary diary = process.diary();
        if (asksRestored) {
            prologue.play(actor(process, -1));
            DataInputStream image = process.endpoint().vault().restored();
            if (image != null) {
                diary.load(image);
            }
        }
        while (diary.phase < phases.size()) {
            SimActor actor = actor(process, diary.phase);
            phases.get(diary.phase).play(actor);
            diary.phase++;
            if (asksRestored && (actor.own().nextInt(3) == 0 || savesAlways)) {
                actor.save(longImages);
            }
        }
        process.print("the end: " + Long.toHexString(diary.mark()));
    }

    private SimActor actor(SimProcess process, int phase) {
        long place = seed * 1_000 + phase + 1;
        return new SimActor(
                process,
                ranks,
                (phase + 2) * CONTEXTS,
                settings.eagerBytesMax(),
                large,
                takesBack,
                new SplittableRandom(place),
                new SplittableRandom(place * 7_919 + process.rank()));
    }
}
