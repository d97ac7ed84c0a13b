"""What WEKA 3.6.14 answers, stored, and the means to ask it again.

    data/NAME.arff.xz      small data sets of the UCI archive, but for the two of weather (Quinlan)
    output/NAME.txt        the tree J48 prints for the set, and its ten-fold cross-validation
    output/NAME.CLASSIFIER.TEST.xz
                           the predicted class of each row, counted from 1; TEST says whether the
                           rows are the training rows ("train") or those of the ten folds ("folds")
    random.jsonl.xz        one random data set a line, with options, J48's tree and its predictions

``python -m weka.rebuild``, run in ``tests/``, asks WEKA for all of it anew. That takes a few
minutes, java, and the jar of Debian's package ``weka``.
"""
