// Everything of mercer::mercer. (Pictures are in <mercer/plot.hpp>, library mercer::plot.)
#pragma once

#include <mercer/basis.hpp>
#include <mercer/basis_pca.hpp>
#include <mercer/dataset.hpp>
#include <mercer/error.hpp>
#include <mercer/generate.hpp>
#include <mercer/kernel.hpp>
#include <mercer/kernel_check.hpp>
#include <mercer/kernel_pca.hpp>
#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/pca.hpp>
#include <mercer/plan.hpp>
#include <mercer/random_feature_pca.hpp>
#include <mercer/report.hpp>
#include <mercer/row_source.hpp>
#include <mercer/run.hpp>
#include <mercer/samples.hpp>
#include <mercer/scaling.hpp>
#include <mercer/spectrum.hpp>
#include <mercer/symmetric_operator.hpp>
#include <mercer/version.hpp>
